/** Models of how a device may round its results; the bounds of float16 tests are derived from them. */

/** Rounds the results of a computation's steps. */
export interface Rounding {
  /** Rounds a number as the device does when it stores or adds it. */
  number(value: number): number;
  /** Rounds a number between -127 and 127 to an 8-bit integer. */
  integer(value: number): number;
}

/** Rounds nothing beyond float64. */
export const exactRounding: Rounding = { number: (value) => value, integer: (value) => value };

/** Rounds a float64 to 11 bits, by Veltkamp's splitting. Exact for numbers that are normal in float16. */
const splitter = 2 ** 42 + 1;
/** The smallest normal number of float16. Below it, neighbouring numbers differ by 2^-24. */
const smallestNormal = 2 ** -14;
const subnormalShift = 1.5 * 2 ** 28;

/** The nearest float16. Numbers above 65,504, which float16 cannot represent, stay unchanged. */
export function nearestFloat16(value: number): number {
  if (Math.abs(value) < smallestNormal) return value + subnormalShift - subnormalShift;
  const shifted = splitter * value;
  return shifted - (shifted - value);
}

/**
 * Rounds every number at random to one of its two float16 neighbours, the nearer one more often. The mean is exact, and the
 * variance at most twice that of rounding to the nearest. Evaluations with different `seed`s show how far float16 rounding
 * changes results, in whatever order a kernel adds. If `half` is false, only 8-bit numbers are rounded this way.
 */
export function createRandomRounding(seed: number, half: boolean): Rounding {
  let state = seed >>> 0;
  const uniform = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return {
    number(value) {
      if (!half) return value;
      const size = Math.max(Math.abs(value), smallestNormal);
      return nearestFloat16(value + (uniform() - 0.5) * size * 2 ** -10);
    },
    integer: (value) => Math.floor(value + uniform()),
  };
}
