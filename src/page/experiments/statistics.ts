/** Estimates with intervals of 95 %. */

export interface MeanEstimate {
  /** Null if there are no values; never NaN. */
  readonly mean: number | null;
  /** Null for fewer than two values, which say nothing about their spread. */
  readonly low: number | null;
  readonly high: number | null;
  readonly count: number;
}

export interface ProportionEstimate {
  readonly holds: number;
  readonly of: number;
  /** Null if there are no values. */
  readonly share: number | null;
  /** Null for fewer than two values. */
  readonly low: number | null;
  readonly high: number | null;
}

/** The 97.5th percentile of the normal distribution. */
const z = 1.959963984540054;

/** 97.5th percentiles of Student's t with 1 to 30 degrees of freedom (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2). */
const smallT = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604,
  2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555,
  2.0518, 2.0484, 2.0452, 2.0423,
] as const;

/**
 * The 97.5th percentile of Student's t. Above 30 degrees of freedom by the expansion around the normal distribution
 * (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5), which is right to four digits there.
 */
export function tQuantile(degrees: number): number {
  const tabled = smallT[degrees - 1];
  if (tabled !== undefined) return tabled;
  return z + (z ** 3 + z) / (4 * degrees) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2);
}

/** Mean with Student's t interval: mean ± t · s / √n (NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2). */
export function estimateMean(values: readonly number[]): MeanEstimate {
  const count = values.length;
  if (count === 0) return { mean: null, low: null, high: null, count };
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean, low: null, high: null, count };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = tQuantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean, low: mean - half, high: mean + half, count };
}

/**
 * Share with Wilson's score interval (Wilson, Journal of the American Statistical Association 22, 1927; recommended for small
 * numbers by Brown, Cai and DasGupta, Statistical Science 16, 2001): it stays within 0 and 1, and has a width where all or none
 * hold.
 */
export function estimateProportion(holds: number, of: number): ProportionEstimate {
  if (of === 0) return { holds, of, share: null, low: null, high: null };
  const share = holds / of;
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  // For a single value, an interval would describe the method more than the model.
  if (of === 1) return { holds, of, share, low: null, high: null };
  return { holds, of, share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
