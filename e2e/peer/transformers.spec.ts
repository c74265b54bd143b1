import { expect } from "@playwright/test";
import { testsOnOnePage } from "../shared-page.ts";
import type { Peer } from "./transformers-page.ts";

declare global {
  interface Window {
    peer: Peer;
  }
}

const test = testsOnOnePage("/e2e/peer/transformers.html", "peer");

const story =
  "Once upon a time, there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball.";

// On software WebGPU a token takes it a third of a second.
for (const { device, count } of [
  { device: "wasm", count: 60 },
  { device: "webgpu", count: 16 },
] as const) {
  test(`@huggingface/transformers tells the story on ${device}, fp32`, async ({ page }) => {
    const { prompt, text } = await page.evaluate(
      (given) => window.peer.generate(given.device, "fp32", "Once upon a time", given.count),
      { device, count },
    );
    expect(prompt).toEqual([1, 403, 407, 261, 378]);
    expect(text.slice(0, story.length)).toBe(story.slice(0, text.length));
    expect(text.length).toBeGreaterThan(40);
  });
}

test("@huggingface/transformers runs the 4-bit variant, and a story ends with the begin token", async ({
  page,
}) => {
  const { tokens, text } = await page.evaluate(() =>
    window.peer.generate("wasm", "q4", "Once upon a time", 400),
  );
  expect(text).toMatch(/^Once upon a time, there was a little girl named Lily\. She loved to play/);
  expect(tokens.length).toBeLessThan(400);
  expect(tokens.at(-1)).toBe(1);
});

test("@huggingface/transformers writes what a schema allows, greedy and sampled, in a batch of prompts of different length", async ({
  page,
}) => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string", pattern: "^[A-Z][a-z]{2,8}$" },
      age: { type: "integer", minimum: 3, maximum: 9 },
      toys: { type: "array", items: { enum: ["ball", "car", "doll"] }, minItems: 1, maxItems: 2 },
    },
    required: ["name", "age", "toys"],
    additionalProperties: false,
  };
  const answers = await page.evaluate(
    (given) => window.peer.constrained(given, ["Once upon a time, there was a girl named", "Tim"]),
    schema,
  );
  expect(answers).toHaveLength(4);
  for (const answer of answers)
    expect(answer).toMatch(
      /^\{"name":"[A-Z][a-z]{2,8}","age":[3-9],"toys":\["(ball|car|doll)"(,"(ball|car|doll)")?\]\}$/,
    );
  expect(answers[0]).not.toBe(answers[1]);
});

test("the example of docs/masks.md gives a person", async ({ page }) => {
  const person = await page.evaluate(() => window.peer.askForPerson("stories260k", "Who is there?"));
  expect(person).toEqual({ name: expect.any(String), age: expect.any(Number) });
});
