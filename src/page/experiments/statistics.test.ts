import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateMean, estimateProportion, tQuantile } from "./statistics.ts";

test("Student's t: the table, and beyond it R's qt(0.975, n)", () => {
  const known = [
    [1, 12.7062],
    [4, 2.7764],
    [30, 2.0423],
    [31, 2.0395],
    [60, 2.0003],
    [200, 1.9719],
    [10_000, 1.9602],
  ] as const;
  for (const [degrees, quantile] of known) expect(tQuantile(degrees)).toBeCloseTo(quantile, 3);
});

test("a mean, with R's t.test interval", () => {
  const { mean, low, high, count } = estimateMean([2, 4, 4, 4, 5, 5, 7, 9]);
  expect([mean, count]).toEqual([5, 8]);
  expect(low).toBeCloseTo(3.2125, 3);
  expect(high).toBeCloseTo(6.7875, 3);
  expect(estimateMean([])).toEqual({ mean: null, low: null, high: null, count: 0 });
  expect(estimateMean([3])).toEqual({ mean: 3, low: null, high: null, count: 1 });
});

test("a share, with Wilson's interval as R's prop.test(correct = FALSE) gives it", () => {
  const known = [
    [15, 20, 0.5313, 0.8881],
    [0, 5, 0, 0.4345],
    [5, 5, 0.5655, 1],
    [1, 2, 0.0945, 0.9055],
  ] as const;
  for (const [holds, of, low, high] of known) {
    const share = estimateProportion(holds, of);
    expect(share.low, `${holds} of ${of}`).toBeCloseTo(low, 3);
    expect(share.high).toBeCloseTo(high, 3);
  }
  expect(estimateProportion(0, 0)).toMatchObject({ share: null, low: null });
  expect(estimateProportion(1, 1)).toMatchObject({ share: 1, low: null });
});

test("an interval holds its estimate, and narrows with more of the same", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 2, maxLength: 40 }), (values) => {
      const one = estimateMean(values);
      const two = estimateMean([...values, ...values]);
      const width = ({ low, high }: typeof one) => (high ?? Number.NaN) - (low ?? Number.NaN);
      expect(one.low).toBeLessThanOrEqual((one.mean ?? Number.NaN) + 1e-9);
      expect(one.high).toBeGreaterThanOrEqual((one.mean ?? Number.NaN) - 1e-9);
      expect(width(two)).toBeLessThanOrEqual(width(one) + 1e-9);
    }),
  );
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 2, max: 60 }), (some, of) => {
      const { share, low, high } = estimateProportion(Math.min(some, of), of);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual((share ?? Number.NaN) + 1e-12);
      expect(high).toBeGreaterThanOrEqual((share ?? Number.NaN) - 1e-12);
    }),
  );
});
