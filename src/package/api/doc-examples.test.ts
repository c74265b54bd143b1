/** Runs the examples of docs/from-quote.md and docs/from-webllm.md that need an engine, in Node with the bundled model. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { askWithMod } from "../../../e2e/docs/from-quote/register.ts";
import { chat } from "../../../e2e/docs/from-webllm/chat.ts";
import { storyWithFewNames } from "../../../e2e/docs/from-webllm/use-mod.ts";
import { type ModelHub, startModelHub } from "../../runtime/engine/testing/model-hub.ts";
import { createInProcessSandboxPool } from "../testing/in-process-mods.ts";
import { createEngine } from "./create-engine.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "./testing/story-engine.ts";

/** Mods with a source run in this process too. */
const session = { ...storySessionOptions, createSandboxes: createInProcessSandboxPool };

let hub: ModelHub;
let engine: MidtokenEngine;

beforeAll(async () => {
  hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  engine = await createEngine({ model: storyReference(hub), device: "wasm", session });
});
afterAll(async () => {
  engine.dispose();
  await hub.close();
});

test("a first answer, streamed", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const text = await chat(storyReference(hub), { device: "wasm", session });
  const told = log.mock.calls.map(([first]) => first);
  log.mockRestore();
  expect(text).toBe(", there was a little girl named Lily. She");
  expect([told[0], told.at(-1)]).toEqual(["download", 12]);
});

test("a mod in place of a LogitProcessor", async () => {
  const text = await storyWithFewNames(engine, storyModel);
  expect(text?.match(/ Lily/g)).toHaveLength(1);
});

test("a mod that is registered and called by name", async () => {
  const source = readFileSync("e2e/docs/from-quote/mask.ts", "utf8");
  expect(await askWithMod(engine, source)).toContain(" Amy.");
});
