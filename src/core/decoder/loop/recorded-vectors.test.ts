/** Vectors in a record: the numbers of each once, up to a limit. */
import { expect, test } from "vitest";
import { randomBits } from "../../base/random.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import { digestOfVector } from "../kv-cache/vector-digest.ts";
import { RecordedVectors } from "./recorded-vectors.ts";

test("numbers once, and beyond the limit none", () => {
  const vectors = new RecordedVectors();
  const vector = new Float32Array(1000).fill(2);
  expect(vectors.of(vector).numbers?.length).toBe(1000);
  expect(vectors.of(vector.slice()).numbers).toBe(null);
  let kept = 1;
  for (let i = 0; i < 400; i++) kept += vectors.of(new Float32Array(1000).fill(i + 3)).numbers ? 1 : 0;
  expect(kept).toBe(Math.floor(traceLimits.vectorNumbers / 1000));
});

test("two vectors with one digest are told apart", () => {
  const known = new Map<number, Float32Array>();
  let pair: readonly [Float32Array, Float32Array] | null = null;
  for (let i = 0; i < 400_000 && !pair; i++) {
    const vector = Float32Array.of(randomBits(1, i) / 1e6, randomBits(2, i) / 1e6);
    const digest = digestOfVector(vector);
    const other = known.get(digest);
    if (other && String(other) !== String(vector)) pair = [other, vector];
    known.set(digest, vector);
  }
  const [one, two] = pair ?? [];
  if (!one || !two) throw new Error("No two vectors have one digest.");
  const vectors = new RecordedVectors();
  const [first, second, again] = [vectors.of(one), vectors.of(two), vectors.of(two)];
  expect(second.digest).not.toBe(first.digest);
  expect([first.numbers, second.numbers, again.numbers]).toEqual([[...one], [...two], null]);
  expect(again.digest).toBe(second.digest);
});
