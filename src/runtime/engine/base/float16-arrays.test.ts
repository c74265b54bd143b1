import { expect, test } from "vitest";
import { float16ToFloat32, float32ToFloat16 } from "./float16-arrays.ts";

test.each([
  [0x0000, 0],
  [0x8000, -0],
  [0x3c00, 1],
  [0xc000, -2],
  [0x7bff, 65504],
  [0x0400, 2 ** -14],
  [0x0001, 2 ** -24],
  [0x7c00, Number.POSITIVE_INFINITY],
  [0x3555, 0.333251953125],
])("half %i is %f", (half, value) => {
  expect(float16ToFloat32(Uint16Array.of(half))[0]).toBe(value);
});

test("NaN stays NaN", () => {
  expect(float16ToFloat32(Uint16Array.of(0x7e00))[0]).toBeNaN();
});

test("every half comes back from float32 as it was", () => {
  const halves = Uint16Array.from({ length: 65_536 }, (_, half) => half);
  const isNumber = (half: number) => (half & 0x7c00) !== 0x7c00 || (half & 1023) === 0;
  const numbers = halves.filter(isNumber);
  expect(float32ToFloat16(float16ToFloat32(numbers))).toEqual(numbers);
});

test.each([
  ["a tie goes to the even one, down", 1 + 2 ** -11, 0x3c00],
  ["a tie goes to the even one, up", 1 + 3 * 2 ** -11, 0x3c02],
  ["just over a tie", 1 + 2 ** -11 + 2 ** -20, 0x3c01],
  ["into the next exponent", 2 - 2 ** -12, 0x4000],
  ["into the normal halves", 2 ** -14 - 2 ** -26, 0x0400],
  ["half of the smallest", 2 ** -25, 0],
  ["too large", 65_520, 0x7c00],
  ["not too large", -65_519, 0xfbff],
  ["NaN", Number.NaN, 0x7e00],
])("rounding: %s", (_, value, half) => {
  expect(float32ToFloat16(Float32Array.of(value))[0]).toBe(half);
});
