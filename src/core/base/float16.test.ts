/** All 65,536 float16 numbers, and numbers between them. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fromFloat16Bits, isFloat16, roundToFloat16, toFloat16Bits } from "./float16.ts";

test("every finite one is what its bits are, and no other has them", () => {
  const wrong: number[] = [];
  for (let bits = 0; bits < 65_536; bits += 1) {
    const number = fromFloat16Bits(bits);
    if (Number.isFinite(number) && !(toFloat16Bits(number) === bits && isFloat16(number))) wrong.push(bits);
  }
  expect(wrong).toEqual([]);
});

test.each([
  [1, 1],
  [0.1, 0.0999755859375],
  [-1 / 3, -0.333251953125],
  [2049, 2048],
  [2051, 2052],
  [1e-8, 0],
  [2 ** -25, 0],
  [1.5 * 2 ** -24, 2 ** -23],
  [65_519, 65_504],
  [1e30, 65_504],
  [-0, -0],
])("the nearest to %d is %d", (number, nearest) => {
  expect(roundToFloat16(number)).toBe(nearest);
});

test("none is nearer, whatever the number", () => {
  const all = Array.from({ length: 0x7c00 }, (_, bits) => fromFloat16Bits(bits));
  fc.assert(
    fc.property(fc.float({ min: 0, max: 65_504, noNaN: true }), (number) => {
      const rounded = roundToFloat16(number);
      const place = all.findIndex((each) => each >= number);
      const nearest = Math.min(
        ...[all[place - 1], all[place]].map((each) => Math.abs((each ?? Infinity) - number)),
      );
      expect(Math.abs(rounded - number)).toBe(nearest);
      expect(isFloat16(rounded)).toBe(true);
    }),
  );
});
