/** The cache stores readings of layers up to its limit in bytes, and drops the least recently seen reading first. */
import { expect, test } from "vitest";
import { bytesOfReading, type CachedReading, ReadingCache } from "./reading-cache.ts";

const reading = (index: number, isPlain = false, numbers = 0): CachedReading => ({
  step: {
    index,
    isPlain,
    layers: [{ layer: 0, entropy: 1, top: [{ token: 1, text: " word", logprob: -1 }], token: null }],
  },
  hidden: numbers === 0 ? null : new Float32Array(numbers),
  hiddenSize: numbers,
});
const one = bytesOfReading(reading(0));

test("what was used longest ago goes first, and looking is a use", () => {
  const cache = new ReadingCache(3 * one);
  for (const index of [0, 1, 2]) cache.put("run", reading(index));
  expect(cache.get("run", 0, false)?.step.index).toBe(0);
  expect(cache.has("run", 1, false)).toBe(true);
  cache.put("run", reading(3));
  expect(cache.ofRun("run").map(({ step }) => step.index)).toEqual([0, 2, 3]);
  expect(cache.size).toEqual({ tokens: 3, bytes: 3 * one });
});

test("what is put again takes no more room", () => {
  const cache = new ReadingCache(3 * one);
  for (let times = 0; times < 5; times += 1) cache.put("run", reading(7));
  expect(cache.size).toEqual({ tokens: 1, bytes: one });
});

test("hidden states count their bytes, and one reading above the budget is kept alone", () => {
  const cache = new ReadingCache(3 * one);
  cache.put("run", reading(0));
  cache.put("run", reading(1, false, 1_000));
  expect(cache.ofRun("run").map(({ step }) => step.index)).toEqual([1]);
  expect(cache.size.bytes).toBe(one + 4_000);
  cache.put("run", reading(2));
  expect(cache.size).toEqual({ tokens: 1, bytes: one });
});

test("runs, and the same step without steering, are apart; a token of both counts once", () => {
  const cache = new ReadingCache(10 * one);
  cache.put("run", reading(4, true));
  cache.put("run", reading(4));
  cache.put("run", reading(1));
  cache.put("other", reading(4));
  expect(cache.ofRun("run").map(({ step }) => [step.index, step.isPlain])).toEqual([
    [1, false],
    [4, false],
    [4, true],
  ]);
  expect(cache.get("other", 4, true)).toBeNull();
  expect(cache.size.tokens).toBe(3);
  cache.clear();
  expect(cache.size).toEqual({ tokens: 0, bytes: 0 });
});
