/** The port to a step's logits that are on a device: the questions that the loop can ask without reading all logits back. */

/**
 * Stands for logits that lie on a device: the most likely tokens, and sums over pieces of the vocabulary. The listed
 * logits are exact; a sum is off by at most `sumError` of itself.
 */
export interface LogitsSummary {
  readonly vocabularySize: number;
  /** Most likely first; of equals the lower id first. Every other token is less likely than the last one. -Infinity is never among them. */
  readonly tokens: Int32Array;
  /** The logits of `tokens`. */
  readonly logits: Float32Array;
  /** `tokens` are all whose logit is above -Infinity. */
  readonly isComplete: boolean;
  /** NaN or Infinity is among the logits. */
  readonly isBroken: boolean;
  /** Tokens of a piece: piece p begins at token p × `pieceTokens`. */
  readonly pieceTokens: number;
  readonly pieces: readonly PieceSums[];
  /** The temperature of `scaled`. */
  readonly temperature: number;
}

/** Over d = logit - `largest` of each of a piece's tokens. */
export interface PieceSums {
  /** The piece's largest logit; -Infinity where it has none above that. */
  readonly largest: number;
  /** Σ exp(d) */
  readonly weight: number;
  /** Σ d·exp(d) */
  readonly weighted: number;
  /** Σ exp(d / temperature) */
  readonly scaled: number;
}

/**
 * A bound for the relative error of a piece's sums, float32 over `pieceTokens` = 1,024 positive terms. exp is off by 3 + 2·|d|
 * units in the last place at most (WGSL, 15.7.4.1), d itself by one, and the average of |d| under these weights is at most
 * ln 1,024; ten roundings of a tree of sums come to that.
 */
export const sumError = 2 ** -17;

/** The settings of a draw from the weights exp((logit - largest) / temperature). */
export interface LogitsDraw {
  readonly temperature: number;
  /** The row's largest logit. */
  readonly largest: number;
  /** Tokens below it weigh nothing. */
  readonly least: number;
  /** Only so many of the most likely are kept, of equals those with lower ids; 0 for all. */
  readonly topK: number;
  /** Top-p: after top-k, keeps the most likely tokens that together reach this share; 1 for all. */
  readonly topP: number;
  /** Min-p: after top-p, keeps the tokens from this logit on; `least` for all. */
  readonly leastKept: number;
  /** Uniform in [0, 1). */
  readonly draw: number;
}

/**
 * The drawn token: the first token, by id, at which the sum of kept weights exceeds the drawn share of their total. Sums, and the
 * device's choices, may be off by `drawError`: the caller checks whether the result is certain.
 */
export interface DrawnToken {
  readonly token: number;
  readonly logit: number;
  /** Kept tokens with lower ids: how many, and what they weigh. */
  readonly place: number;
  readonly before: number;
  /** All kept tokens: how many, and what they weigh. */
  readonly candidates: number;
  readonly mass: number;
  /** Where the most likely ended; null without top-k and top-p. */
  readonly border: Border | null;
}

/** The last token that top-p keeps; without top-p, the last token that top-k keeps. */
export interface Border {
  /** The logit of the last one kept, and how many are kept that have it. */
  readonly logit: number;
  readonly ties: number;
  /**
   * The weight of the tokens of which top-p takes a share, and the weight of the tokens above the last one kept; 0
   * without top-p.
   */
  readonly whole: number;
  readonly above: number;
}

/**
 * A bound for the error of a device's sums of weights in a draw, for logits that weigh `mass`. The device computes
 * with integers: a weight has 32 bits of its own, in units of 2^-42 of the largest token's weight. The factor d /
 * temperature has 32 bits, which add 6 units of 2^-32 (the mean of d under the weights is at most the entropy), and
 * the power of two adds 6 more. Logits below 2^-9 lose their part below 2^-32.
 */
export function drawError(mass: number, temperature: number, vocabularySize: number): number {
  return mass * (2 ** -28 + 2 ** -30 / temperature) + vocabularySize * 2 ** -41;
}

const drawnTemperatures = { least: 1 / 64, most: 1024 } as const;
const largestDrawnLogit = 2 ** 20;

/** Whether a device's numbers can represent such a draw. If not, `drawToken` may return null. */
export function canBeDrawn({ temperature, largest }: Pick<LogitsDraw, "temperature" | "largest">): boolean {
  const { least, most } = drawnTemperatures;
  return temperature >= least && temperature <= most && Math.abs(largest) <= largestDrawnLogit;
}

/** A change of logits: first a mask, then single logits that are set. */
export interface LogitsChange {
  /** A bit for each token; those whose bits are 0 become -Infinity. */
  readonly mask: Uint32Array | null;
  /** No token twice. */
  readonly tokens: readonly number[];
  readonly logits: readonly number[];
}

/**
 * Logits on a device. They are there until the caller releases them (`release`, once). @throws the device's Error,
 * from every call that asks the device.
 */
export interface DeviceLogits {
  readonly summary: LogitsSummary;
  /** The logit of the token that the pass read after this row; null for the last row of a pass, and for an edited one. */
  readonly nextLogit: number | null;
  /** The logits of these tokens. */
  gather(tokens: readonly number[]): Promise<Float32Array>;
  /** Draws a token; null if it cannot: then the row has to be read. */
  drawToken(draw: LogitsDraw): Promise<DrawnToken | null>;
  /** How many tokens of the mask, a bit for each, have a logit above -Infinity. */
  countLeft(mask: Uint32Array): Promise<number>;
  /** Another row, whose summary has `scaled` at this temperature; all of it where it has no summary (see LogitsSummary.tokens: too many equals). */
  change(change: LogitsChange, temperature: number): Promise<DeviceLogits | Float32Array>;
  /** All logits. */
  read(): Promise<Float32Array>;
  release(): void;
}
