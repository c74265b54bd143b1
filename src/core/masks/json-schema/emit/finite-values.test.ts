import fc from "fast-check";
import { expect, test } from "vitest";
import { EffortMeter } from "../effort.ts";
import { matchesNumber } from "../scalars/number.ts";
import { isNumberPossible } from "../scalars/number-possible.ts";
import { anyNumber } from "../scalars/scalars.ts";
import { listNumbers } from "./finite-values.ts";

const bound = fc.oneof(
  fc.integer({ min: -60, max: 60 }),
  fc.constantFrom(0.5, -0.3, 2.25, 12.5, -0, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
);
const divisor = fc.constantFrom(1, 2, 3, 7, 0.5, 2.5, 0.25, 10, 97);
const alternatives = fc
  .record({
    bounds: fc.tuple(bound, bound),
    isBelow: fc.boolean(),
    isAbove: fc.boolean(),
    multipleOf: fc.uniqueArray(divisor, { maxLength: 2 }),
    notMultipleOf: fc.uniqueArray(divisor, { maxLength: 2 }),
    except: fc.uniqueArray(fc.integer({ min: -60, max: 60 }), { maxLength: 3 }),
  })
  .map(({ bounds: [a, b], isBelow, isAbove, ...rest }) => ({
    ...anyNumber,
    ...rest,
    integer: true,
    minimum: Math.min(a, b),
    maximum: Math.max(a, b),
    exclusiveMinimum: isBelow && Number.isFinite(Math.min(a, b)),
    exclusiveMaximum: isAbove && Number.isFinite(Math.max(a, b)),
  }))
  .filter(({ minimum, maximum }) => minimum < Number.POSITIVE_INFINITY && maximum > Number.NEGATIVE_INFINITY);

const near = Array.from({ length: 121 }, (_, index) => index - 60);

test("listed integers are those that match, and some integer is possible exactly if one is listed", () => {
  let lists = 0;
  fc.assert(
    fc.property(alternatives, (alternative) => {
      const isListed = Number.isFinite(alternative.minimum) && Number.isFinite(alternative.maximum);
      const listed = listNumbers(alternative);
      expect(listed !== null).toBe(isListed);
      if (listed === null) return;
      lists++;
      expect(listed).toEqual(near.filter((value) => matchesNumber(alternative, value)));
      expect(isNumberPossible(alternative, new EffortMeter())).toBe(listed.length > 0);
    }),
    { numRuns: 400 },
  );
  expect(lists).toBeGreaterThan(100);
});

test.each([
  [{ minimum: 1.5, maximum: 1.5 }, [1.5]],
  [{ minimum: 1.5, maximum: 1.5, integer: true }, []],
  [{ minimum: -0.5, maximum: 0.5, integer: true }, [0]],
  [{ minimum: 0, maximum: 2000, integer: true }, null],
  [{ minimum: 0, maximum: 1 }, null],
])("%j: %j", (part, values) => {
  expect(listNumbers({ ...anyNumber, ...part })).toEqual(values);
});
