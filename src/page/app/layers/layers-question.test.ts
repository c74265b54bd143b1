/** The page's question to the engine about a step's layers, the answer on the page, and reasons why the page cannot ask. */
import { expect, test } from "vitest";
import { encodeTraceFile } from "../../../core/trace/codec/codec.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import type { LayersReadingWithTexts } from "../../../runtime/session/page-side/layers.ts";
import { layerChangesAt, layersQuestionAt, toCachedReading } from "./layers-question.ts";
import { toTraceLayers } from "./trace-layers.ts";

const id = (token: number) => ({ token, text: `t${token}` });
const vectorOf = (numbers: readonly number[] | null, digest: number) => ({
  digest,
  norm: 1,
  numbers,
});

/** 1 2 | 10 11 12, steered at layer 3 from the prompt on, patched at layer 1 before the last token. */
function run({ hasNumbers = true, leftOut = [] as Parameters<typeof createTraceModel>[0] } = {}) {
  const builder = createTraceBuilder();
  const numbers = hasNumbers ? [1, 0] : null;
  builder.call(0, "prefilled", {
    type: "steer",
    vectors: [{ layer: 3, scale: 2, vector: vectorOf(numbers, 7) }],
  });
  builder.prefill([id(1), id(2)]);
  for (const token of [10, 11, 12]) {
    builder.forward({ entropy: 1, top: [] }, token === 10 ? 2 : 1);
    if (token === 11)
      builder.call(0, "forwardPass", { type: "patch", layer: 1, vector: vectorOf(numbers, 8) });
    builder.sample(id(token), {});
    builder.add([id(token)], "sampled");
  }
  const trace = createTraceModel(leftOut);
  trace.append(builder.finish("length").records);
  return trace;
}

const asIt = { isPlain: false, keepHidden: false };

test("a steered step is asked with what steered each token, and without where that is wanted", () => {
  const asked = layersQuestionAt(run(), 2, asIt);
  if (typeof asked === "string") throw new Error(asked);
  expect(asked.query.tokens).toEqual([1, 2, 10, 11]);
  expect(asked.query.steered).toBe(asked.spans);
  const vector = expect.objectContaining({ layer: 3, scale: 2, vector: Float32Array.from([1, 0]) });
  expect(asked.spans.every(({ vectors }) => vectors.length === 1)).toBe(true);
  expect(asked.spans[0]?.vectors).toEqual([vector]);
  expect(Object.fromEntries(layerChangesAt(asked))).toEqual({ 1: "patched", 3: "steered" });
  const plain = layersQuestionAt(run(), 2, { isPlain: true, keepHidden: true });
  if (typeof plain === "string") throw new Error(plain);
  expect(plain.query.steered).toBeUndefined();
  expect(plain.query.hidden).toBe("all");
});

test.each<[string, Parameters<typeof run>[0], RegExp]>([
  ["vectors", { hasNumbers: false }, /opened without the vectors that steered it/],
  ["ids", { leftOut: ["tokenIds"] }, /left out the token ids/],
  ["the prompt", { leftOut: ["prompt"] }, /left out the prompt/],
])("without %s it cannot be asked", (_what, options, words) => {
  expect(layersQuestionAt(run(options), 2, asIt)).toMatch(words);
});

test("an answer has the texts of its tokens, and numbers that a file holds", () => {
  const answer: LayersReadingWithTexts = {
    layerCount: 1,
    hiddenSize: 2,
    texts: new Map([[5, " five"]]),
    places: [
      {
        place: 3,
        hidden: null,
        lens: [
          {
            layer: 0,
            entropy: 0.1,
            token: { rank: 2, logprob: -0.3 },
            top: { tokens: [5, 6], logprobs: [-0.1, -2.3] },
          },
        ],
      },
    ],
  };
  const kept = toCachedReading(2, true, answer);
  expect(kept.step).toEqual({
    index: 2,
    isPlain: true,
    layers: [
      {
        layer: 0,
        entropy: Math.fround(0.1),
        token: { rank: 2, logprob: Math.fround(-0.3) },
        top: [
          { token: 5, text: " five", logprob: Math.fround(-0.1) },
          { token: 6, text: "", logprob: Math.fround(-2.3) },
        ],
      },
    ],
  });
  const layers = toTraceLayers([kept]);
  if (!layers) throw new Error("nothing kept");
  expect(encodeTraceFile({ ...sampleTrace({ tokens: 8 }), layers }).length).toBeGreaterThan(100);
  expect(() => toCachedReading(2, true, { ...answer, places: [] })).toThrow(/please report it/);
});
