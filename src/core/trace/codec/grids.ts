/**
 * Rounded numbers as small whole ones. A link rounds to these grids; the codec writes a number that lies on its
 * grid as its place there. Places are even in relative size, as the eye reads probabilities. Links
 * hold places, not numbers.
 */
export interface Grid {
  /** The number of a place; places are whole, from 0 to `last`. */
  numberAt(place: number): number;
  /** The nearest place. */
  placeOf(value: number): number;
  readonly last: number;
}

/** Rounded to four decimals, so that engines whose `exp` differs in the last bit give the same number. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** `sign · offset · (e^(place / fineness) − 1)`: fine near 0, and ever coarser away from it. */
function exponentialGrid(sign: 1 | -1, offset: number, fineness: number, last: number): Grid {
  const numbers = Float64Array.from({ length: last + 1 }, (_, place) =>
    place === 0 ? 0 : sign * rounded(offset * Math.expm1(place / fineness)),
  );
  return {
    numberAt: (place) => numbers[place] ?? 0,
    placeOf: (value) => {
      const size = Math.max(sign * value, 0);
      return Math.min(Math.round(fineness * Math.log1p(size / offset)), last);
    },
    last,
  };
}

/**
 * Natural log-probabilities down to -1900. The error of p is at most 1 % at p = 0.99, 6 % of p at p = 0.1, and 16 % of p at
 * p = 0.001.
 */
export const logprobGrid = exponentialGrid(-1, 0.25, 24, 215);

/** Entropies in bits: to 0.06 near 0, to 0.2 at 1, to 0.6 at 4. */
export const entropyGrid = exponentialGrid(1, 0.5, 8, 47);

/** Draws in [0, 1), to 16 bits. */
export const drawGrid: Grid = {
  numberAt: (place) => place / 65_536,
  placeOf: (value) => Math.min(Math.max(Math.round(value * 65_536), 0), 65_535),
  last: 65_535,
};

/** Counts of tokens left by the cut-offs: exact to 6, then in steps of about a fifth. */
export const countGrid: Grid = (() => {
  const numbers = [0, 1, 2, 3, 4, 5, 6];
  while ((numbers.at(-1) ?? 0) < 2 ** 20) numbers.push(Math.floor((numbers.at(-1) ?? 0) * 1.2));
  return {
    numberAt: (place: number) => numbers[place] ?? 0,
    placeOf: (value: number) => {
      const above = numbers.findIndex((number) => number >= value);
      if (above <= 0) return above < 0 ? numbers.length - 1 : 0;
      const [lower = 0, upper = 0] = numbers.slice(above - 1, above + 1);
      return value - lower < upper - value ? above - 1 : above;
    },
    last: numbers.length - 1,
  };
})();

const probabilities = Float64Array.from(
  { length: logprobGrid.last + 1 },
  (_, place) => Math.round(Math.exp(logprobGrid.numberAt(place)) * 1e6) / 1e6,
);

/** Probabilities, rounded as `logprobGrid` rounds their logarithms. */
export const probabilityGrid: Grid = {
  numberAt: (place) => probabilities[place] ?? 0,
  placeOf: (value) => logprobGrid.placeOf(Math.log(Math.max(value, 1e-300))),
  last: logprobGrid.last,
};

/** The nearest number of a grid. */
export function snap(grid: Grid, value: number): number {
  return grid.numberAt(grid.placeOf(value));
}

/**
 * How sure the model was, in five classes. The codec keeps separate columns and guesses for each class, because the other
 * numbers of a step depend on it.
 */
export function entropyClass(entropy: number): 0 | 1 | 2 | 3 | 4 {
  const place = entropyGrid.placeOf(entropy);
  return place <= 2 ? 0 : place <= 7 ? 1 : place <= 12 ? 2 : place <= 17 ? 3 : 4;
}
