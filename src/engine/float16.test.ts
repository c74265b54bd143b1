import { expect, test } from "vitest";
import { float16ToFloat32 } from "./float16.ts";

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
