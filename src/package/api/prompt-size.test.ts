/**
 * Prompts that are much too long are refused at once, like OpenAI does, and prompts that fit are answered. With the bundled
 * model.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createEngine } from "./create-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

let hub: ModelHub;
let engine: MidtokenEngine;
beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  engine = await createEngine({ model: storyReference(hub), session: storySessionOptions });
});
afterAll(async () => {
  engine?.dispose();
  await hub?.close();
});

const ask = (content: string) =>
  engine.chat.completions.create({
    model: storyModel,
    max_tokens: 2,
    temperature: 0,
    messages: [{ role: "user", content }],
  });

test("8 MB are refused by their bytes, before they wait for the engine", async () => {
  const before = engine.requests.list().length;
  await expect(ask("Once upon a time. ".repeat(450_000))).rejects.toMatchObject({
    status: 400,
    code: "context_length_exceeded",
    param: "messages",
    message: expect.stringMatching(
      /^The prompt has 8100000 characters, which are more than the model's context of 512 tokens can hold: shorten the prompt\.$/,
    ) as string,
  });
  expect(engine.requests.list()).toHaveLength(before);
});

test("a megabyte of white space is refused by its first tokens", async () => {
  await expect(ask(` a${" ".repeat(1_000_000)}a`)).rejects.toMatchObject({
    status: 400,
    code: "context_length_exceeded",
    param: "messages",
    message: expect.stringMatching(
      /^The prompt is too long: the first [\d,]+ of its [\d,]+ characters are already [\d,]+ tokens, but the model's context holds only 512 tokens\./,
    ) as string,
  });
});

test("of a prompt of plain text the field is named", async () => {
  const asked = engine.completions.create({ model: storyModel, prompt: "a ".repeat(20_000), max_tokens: 2 });
  await expect(asked).rejects.toMatchObject({ code: "context_length_exceeded", param: "prompt" });
});

test("a prompt that nearly fills the context is answered", async () => {
  const { usage } = await ask("Once upon a time ".repeat(80));
  expect(usage?.prompt_tokens).toBeGreaterThan(300);
});
