/** Answers of a llama.cpp server are read; an answer of another shape is refused with the name of the field. */
import { expect, test } from "vitest";
import { leastLogprob, parseLlamaServerDescription, parseStep } from "./parse-responses.ts";
import { RemoteEngineError } from "./remote-error.ts";
import { completionOf } from "./testing/fake-llama.ts";

const shape = { vocabularySize: 4, listed: 4 };
const row = [-3, -0.1, -5, -4];

test("a step has the token, the listed tokens and what was computed", () => {
  const step = parseStep(completionOf(row, { n_probs: 4 }), shape);
  expect(step).toMatchObject({ token: 1, logprob: -0.1, computed: 1 });
  expect([...step.tokens]).toEqual([1, 0, 3, 2]);
  expect([...step.logprobs]).toEqual([-0.1, -3, -4, -5].map(Math.fround));
});

test("probabilities that float32 does not tell from 0 get the least log-probability", () => {
  const step = parseStep(completionOf([0, -3.4028234663852886e38, -200, -90], { n_probs: 4 }), shape);
  expect([...step.logprobs]).toEqual([0, -90, leastLogprob, leastLogprob].map(Math.fround));
  const answer = JSON.parse(
    JSON.stringify(completionOf([0, Number.NEGATIVE_INFINITY, -1, -2], { n_probs: 4 })),
  );
  expect([...parseStep(answer, shape).logprobs]).toEqual([0, -1, -2, leastLogprob].map(Math.fround));
});

type Answer = ReturnType<typeof completionOf>;
const [place] = completionOf(row, { n_probs: 4 }).completion_probabilities as Record<string, unknown>[];
const entries = place?.top_logprobs as Record<string, unknown>[];
const withTop = (top: unknown): Answer => ({
  ...completionOf(row, { n_probs: 4 }),
  completion_probabilities: [{ ...place, top_logprobs: top }],
});

test.each<[string, unknown]>([
  ["the response", []],
  ["the response", null],
  ["the response", "text"],
  ["tokens", { ...completionOf(row, { n_probs: 4 }), tokens: [] }],
  ["tokens", { ...completionOf(row, { n_probs: 4 }), tokens: [1, 2] }],
  ["tokens", { ...completionOf(row, { n_probs: 4 }), tokens: [4] }],
  ["tokens", { ...completionOf(row, { n_probs: 4 }), tokens: ["1"] }],
  ["completion_probabilities", { tokens: [1] }],
  ["completion_probabilities", { tokens: [1], completion_probabilities: [] }],
  ["completion_probabilities[0].id", { tokens: [2], completion_probabilities: [place] }],
  [
    "completion_probabilities[0].logprob",
    { tokens: [1], completion_probabilities: [{ ...place, logprob: "x" }] },
  ],
  ["the length of completion_probabilities[0].top_logprobs", withTop(entries.slice(1))],
  ["the length of completion_probabilities[0].top_logprobs", withTop(undefined)],
  [
    "completion_probabilities[0].top_logprobs[2].id",
    withTop(entries.toSpliced(2, 1, { id: 9, logprob: -1 })),
  ],
  [
    "completion_probabilities[0].top_logprobs[1].id",
    withTop(entries.toSpliced(1, 1, { id: 1, logprob: -1 })),
  ],
  [
    "completion_probabilities[0].top_logprobs[3].id",
    withTop(entries.toSpliced(3, 1, { token: "a", logprob: -1 })),
  ],
  ["completion_probabilities[0].top_logprobs[0].logprob", withTop(entries.toSpliced(0, 1, { id: 1 }))],
  [
    "completion_probabilities[0].top_logprobs[0].logprob",
    withTop(entries.toSpliced(0, 1, { id: 1, logprob: 3 })),
  ],
])("a step without a proper field is refused by name: %s (%#)", (field, answer) => {
  expect(() => parseStep(answer, shape)).toThrow(RemoteEngineError);
  expect(() => parseStep(answer, shape)).toThrow(`was not understood: ${field} is `);
});

const models = { data: [{ id: "/models/deep/story.gguf", meta: { n_vocab: 512 } }] };
const props = { default_generation_settings: { n_ctx: 256 }, total_slots: 2, build_info: "b1" };

test("a server says what it has", () => {
  expect(parseLlamaServerDescription(models, props)).toEqual({
    name: "story.gguf",
    vocabularySize: 512,
    contextLength: 256,
    slots: 2,
    version: "b1",
  });
});

test("names come without control characters and without end", () => {
  const odd = { data: [{ ...models.data[0], id: `a\u001b[31m${"x".repeat(1000)}` }] };
  expect(parseLlamaServerDescription(odd, props).name).toBe(`a[31m${"x".repeat(195)}`);
});

test.each<[string, unknown, unknown]>([
  ["data[0].meta.n_vocab", { data: [] }, props],
  ["data[0].meta.n_vocab", { data: [{ id: "x", meta: null }] }, props],
  ["data[0].meta.n_vocab", { data: [{ meta: { n_vocab: 1e12 } }] }, props],
  ["data[0].meta.n_vocab", {}, props],
  ["default_generation_settings.n_ctx", models, {}],
  ["default_generation_settings.n_ctx", models, { ...props, default_generation_settings: { n_ctx: -1 } }],
  ["total_slots", models, { ...props, total_slots: "4" }],
])("a server that does not say %s is refused by name (%#)", (field, given, of) => {
  expect(() => parseLlamaServerDescription(given, of)).toThrow(`was not understood: ${field} is `);
});
