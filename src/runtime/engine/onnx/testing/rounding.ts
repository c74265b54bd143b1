/** How a device may round what it computes: the models by which the bounds of float16 tests are derived. */

/** Rounds what a step of a computation gives. */
export interface Rounding {
  /** A number as the device stores it or adds it up. */
  number(value: number): number;
  /** A number between -127 and 127 as one of 8 bits. */
  integer(value: number): number;
}

/** Nothing is rounded but by float64 itself. */
export const exact: Rounding = { number: (value) => value, integer: (value) => value };

/** Keeps 11 bits of a float64, by Veltkamp's splitting; exact for what float16 stores as normal numbers. */
const splitter = 2 ** 42 + 1;
/** The smallest normal number of float16; below it all steps are 2^-24. */
const smallestNormal = 2 ** -14;
const subnormalShift = 1.5 * 2 ** 28;

/** The nearest float16. Numbers above 65,504, which float16 has not, stay as they are. */
export function nearestFloat16(value: number): number {
  if (Math.abs(value) < smallestNormal) return value + subnormalShift - subnormalShift;
  const shifted = splitter * value;
  return shifted - (shifted - value);
}

/**
 * Every number goes to one of the two float16 numbers beside it, at random, the nearer more often: its mean is right, and its
 * variance is up to twice that of the nearest. Evaluations that differ by `seed` show how far the roundings of float16 carry,
 * in whatever order a kernel adds. `half` false: only numbers of 8 bits are rounded so.
 */
export function randomRounding(seed: number, half: boolean): Rounding {
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
