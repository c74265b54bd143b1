import { expect, test } from "vitest";
import { exponential, SMALLEST_EXPONENT } from "./exponential.ts";

test("is e^x to 1e-11 from 0 down to the smallest exponent", () => {
  let worst = 0;
  for (let step = 0; step <= 1_000_000; step++) {
    const x = (SMALLEST_EXPONENT * step) / 1_000_000;
    worst = Math.max(worst, Math.abs(exponential(x) / Math.exp(x) - 1));
  }
  expect(worst).toBeLessThan(1e-11);
});

test("never rises as x falls", () => {
  let rises = 0;
  for (let x = 0; x > -2; x -= 1 / 65536) if (exponential(x - 1 / 65536) > exponential(x)) rises++;
  expect(rises).toBe(0);
});

test.each([
  [0, 1],
  [SMALLEST_EXPONENT - 1e-9, 0],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, Number.NaN],
])("of %s is %s", (x, value) => expect(exponential(x)).toBe(value));
