/**
 * Grids for rounded numbers. A link rounds numbers to these grids; the codec writes a number on its grid as its place there.
 * Places are spaced evenly in relative size, as people compare probabilities. Links hold places, not numbers.
 */
export interface RoundingGrid {
  /** The number at a place; places are whole, from 0 to `last`. */
  numberAt(place: number): number;
  /** The place nearest to the value. */
  placeOf(value: number): number;
  readonly last: number;
}

/** Rounds to four decimals, so that engines whose `exp` differs in the last bit give the same number. */
const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** `sign · offset · (e^(place / fineness) − 1)`: fine near 0, and coarser further away. */
function exponentialGrid(sign: 1 | -1, offset: number, fineness: number, last: number): RoundingGrid {
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
 * Grid of natural log-probabilities down to -1900. The error of p is at most 1 % at p = 0.99, 6 % of p at p = 0.1, and 16 % of p
 * at p = 0.001.
 */
export const logprobGrid = exponentialGrid(-1, 0.25, 24, 215);

/** Grid of entropies in bits. The error is at most 0.06 near 0, 0.2 at 1 bit, 0.6 at 4 bits. */
export const entropyGrid = exponentialGrid(1, 0.5, 8, 47);

/** Grid of the sampler's random draws in [0, 1), to 16 bits. */
export const samplerDrawGrid: RoundingGrid = {
  numberAt: (place) => place / 65_536,
  placeOf: (value) => Math.min(Math.max(Math.round(value * 65_536), 0), 65_535),
  last: 65_535,
};

/** Grid of the counts of tokens that the cut-offs (top-k, top-p, min-p) leave: exact to 6, then in steps of about a fifth. */
export const candidateCountGrid: RoundingGrid = (() => {
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

/** Grid of probabilities, rounded as `logprobGrid` rounds their logarithms. */
export const probabilityGrid: RoundingGrid = {
  numberAt: (place) => probabilities[place] ?? 0,
  placeOf: (value) => logprobGrid.placeOf(Math.log(Math.max(value, 1e-300))),
  last: logprobGrid.last,
};

/** The number on the grid that is nearest to the value. */
export function snap(grid: RoundingGrid, value: number): number {
  return grid.numberAt(grid.placeOf(value));
}

/**
 * The class of a step by its entropy, from 0 (sure) to 4 (unsure). The codec keeps separate columns and guesses for each class,
 * because the other numbers of a step depend on the entropy.
 */
export function entropyClass(entropy: number): 0 | 1 | 2 | 3 | 4 {
  const place = entropyGrid.placeOf(entropy);
  if (place <= 2) return 0;
  if (place <= 7) return 1;
  if (place <= 12) return 2;
  return place <= 17 ? 3 : 4;
}
