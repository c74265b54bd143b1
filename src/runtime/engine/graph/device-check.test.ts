import { expect, test } from "vitest";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { ComputedLogits } from "../../../core/decoder/ports/logits.ts";
import { createSimulatedDevice, withLogitsOn } from "../../../core/decoder/testing/computed-logits.ts";
import { checkPasses, checkPassesStartedEarly } from "./device-check.ts";

/** A model whose logits depend on the whole context. `spoil` changes the logits of some passes (by default long ones), like a wrong kernel. */
function summing(
  spoil: (logits: Float32Array) => void,
  isSpoiled = (tokens: number) => tokens >= 32,
): LanguageModel {
  let context: number[] = [];
  return {
    vocabularySize: 50,
    capacity: 100,
    promptPassTokens: 512,
    endOfSequence: [],
    get length() {
      return context.length;
    },
    async forward(tokens) {
      context.push(...tokens);
      const sum = context.reduce((a, b) => a + b, 0);
      const logits = Float32Array.from({ length: 50 }, (_, i) => Math.sin(i * sum));
      if (isSpoiled(tokens.length)) spoil(logits);
      return logits;
    },
    truncate(length) {
      context = context.slice(0, length);
    },
    async dispose() {},
  };
}

test.each<[string, boolean, (logits: Float32Array) => void]>([
  ["the same logits", true, () => undefined],
  ["rounding", true, (logits) => logits.set(logits.map((value) => value * 1.001))],
  ["logits off by a tenth", false, (logits) => logits.set(logits.map((value, i) => value + (i % 2) / 10))],
  ["one NaN", false, (logits) => logits.fill(Number.NaN, 3, 4)],
  ["nothing computed", false, (logits) => logits.fill(0)],
])("%s: agrees is %s", async (_, agrees, spoil) => {
  const model = summing(spoil);
  expect((await checkPasses(model)).agrees).toBe(agrees);
  expect(model.length).toBe(0);
});

/** Changes every second logit by this share of the logits' size, with alternating signs. */
const offBy = (share: number) => (logits: Float32Array) =>
  logits.set(logits.map((value, i) => value + (i % 2 === 0 ? share : -share)));

test.each<[string, "float32" | "float16", boolean, (logits: Float32Array) => void]>([
  ["the same logits", "float32", true, () => undefined],
  ["rounding to 8 bits, which float32 does at all lengths or at none", "float32", false, offBy(0.05)],
  ["rounding to 8 bits, which float16 does in longer passes", "float16", true, offBy(0.05)],
  ["other logits", "float16", false, (logits) => logits.reverse()],
  ["one NaN", "float16", false, (logits) => logits.fill(Number.NaN, 3, 4)],
])("a pass of one token, %s, in %s: agrees is %s", async (_, type, agrees, spoil) => {
  const model = summing(spoil, (tokens) => tokens === 1);
  const check = await checkPasses(model, type);
  expect(check.agrees).toBe(agrees);
  expect(check.passes).toBe("passes of one token");
  expect(model.length).toBe(0);
});

test.each<[string, boolean, number]>([
  ["the same logits", true, 1],
  ["rounding", true, 1.001],
  ["other logits", false, 0.5],
  ["no logits", false, Number.NaN],
])("a pass that began before its token was read back, %s: it is used: %s", async (_, agrees, factor) => {
  const device = createSimulatedDevice({ fewest: 4, most: 50, pieceTokens: 50 });
  const model = withLogitsOn(
    device,
    summing(() => undefined),
  );
  const { forwardRows } = model;
  let isExpected = false;
  model.forwardRows = async (tokens, rows, temperature, next) => {
    const given = await forwardRows(tokens, rows, temperature);
    const spoiled = isExpected
      ? given.map((row) => ({ ...row, read: async () => scaled(row, factor) }))
      : given;
    isExpected = next === "mostLikely";
    return spoiled;
  };
  expect(await checkPassesStartedEarly(model)).toBe(agrees);
  expect(model.length).toBe(0);
  expect(await checkPassesStartedEarly(summing(() => undefined))).toBe(true);
});

async function scaled(row: ComputedLogits, factor: number): Promise<Float32Array> {
  const logits = row instanceof Float32Array ? row : await row.read();
  return logits.map((value, i) => (i % 2 === 0 ? value * factor : value));
}
