import { describe, expect, test } from "vitest";
import { mix32, randomBits, uniformRandom } from "./random.ts";

describe("mix32", () => {
  /** Computed with the same formula in BigInt. */
  function mixByBigInt(value: number): number {
    const mask = 0xffffffffn;
    let bits = BigInt(value) & mask;
    bits = ((bits ^ (bits >> 16n)) * 0x85ebca6bn) & mask;
    bits = ((bits ^ (bits >> 13n)) * 0xc2b2ae35n) & mask;
    return Number(bits ^ (bits >> 16n));
  }

  test.each([0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 123456789])("%d", (value) => {
    expect(mix32(value)).toBe(mixByBigInt(value));
  });

  test("published value: fmix32(1)", () => {
    expect(mix32(1)).toBe(0x514e28b7);
  });
});

describe("uniform", () => {
  test("is a function of seed and index", () => {
    expect(uniformRandom(42, 7)).toBe(uniformRandom(42, 7));
    expect(randomBits(42, 7)).not.toBe(randomBits(42, 8));
    expect(randomBits(42, 7)).not.toBe(randomBits(43, 7));
  });

  test("negative and unsigned spellings of a seed are one seed", () => {
    expect(uniformRandom(-1, 3)).toBe(uniformRandom(0xffffffff, 3));
  });

  /** Chi-square over 256 cells: mean 255, standard deviation 22.6; 6 deviations would be chance once in a billion. */
  function chiSquare(cells: Iterable<number>, count: number): number {
    const found = new Array<number>(256).fill(0);
    for (const cell of cells) found[cell] = (found[cell] ?? 0) + 1;
    const expected = count / 256;
    return found.reduce((sum, cell) => sum + (cell - expected) ** 2 / expected, 0);
  }

  const count = 100_000;
  const series: Record<string, (index: number) => number> = {
    "one seed": (index) => uniformRandom(1, index),
    "first draw of many seeds": (seed) => uniformRandom(seed, 0),
    "difference of neighbouring draws": (index) =>
      (uniformRandom(9, index) - uniformRandom(9, index + 1) + 1) % 1,
    "difference of neighbouring seeds": (index) =>
      (uniformRandom(5, index) - uniformRandom(6, index) + 1) % 1,
    "lowest bits": (index) => (randomBits(3, index) % 256) / 256,
  };
  test.each(Object.entries(series))("is even: %s", (_, draw) => {
    const cells = Array.from({ length: count }, (_unused, index) => Math.floor(draw(index) * 256));
    expect(Math.max(...cells.slice(0, 1000))).toBeLessThan(256);
    expect(Math.abs(chiSquare(cells, count) - 255)).toBeLessThan(136);
  });
});
