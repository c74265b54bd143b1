/** The port to a step's logits that are on a device: the questions that the loop can ask without reading all logits back. */

/**
 * Stands for logits that lie on a device: the most likely tokens, and sums over pieces of the vocabulary. The listed
 * logits are exact; a sum is off by at most `sumErrorBound` of itself.
 */
export interface LogitsSummary {
  readonly vocabularySize: number;
  /**
   * The most likely tokens, sorted; among equal logits the lower id first. All other tokens are at most as likely as the
   * last one. -Infinity is never among them.
   */
  readonly tokens: Int32Array;
  /** The logits of `tokens`. */
  readonly logits: Float32Array;
  /** `tokens` has every token whose logit is above -Infinity. */
  readonly isComplete: boolean;
  /** Some logit is NaN or Infinity. */
  readonly isBroken: boolean;
  /** The number of tokens of a piece: piece p begins at token p × `pieceTokens`. */
  readonly pieceTokens: number;
  readonly pieces: readonly PieceSums[];
  /** The temperature of `scaled`. */
  readonly temperature: number;
}

/** Sums over the tokens of a piece, with d = logit - `largest`. */
export interface PieceSums {
  /** The piece's largest logit; -Infinity if every logit is. */
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
export const sumErrorBound = 2 ** -17;

/** The settings of a draw from the weights exp((logit - largest) / temperature). */
export interface LogitsDraw {
  readonly temperature: number;
  /** The row's largest logit. */
  readonly largest: number;
  /** Tokens with a smaller logit have the weight 0. */
  readonly least: number;
  /** Top-k: keeps this number of the most likely tokens, among equal ones the lower ids; 0 keeps all. */
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
 * device's choices, may be off by `drawErrorBound`: the caller checks whether the result is certain.
 */
export interface DrawnToken {
  readonly token: number;
  readonly logit: number;
  /** The kept tokens with lower ids: their number and the sum of their weights. */
  readonly place: number;
  readonly before: number;
  /** All kept tokens: their number and the sum of their weights. */
  readonly candidates: number;
  readonly mass: number;
  /** Where top-k or top-p ended; null without both. */
  readonly border: CutOffBorder | null;
}

/** The last token that top-p keeps; without top-p, the last token that top-k keeps. */
export interface CutOffBorder {
  /** The logit of the last kept token, and the number of kept tokens with this logit. */
  readonly logit: number;
  readonly ties: number;
  /**
   * The weight of the tokens to which top-p applies, and the weight of the tokens above the last kept token; 0 without
   * top-p.
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
export function drawErrorBound(mass: number, temperature: number, vocabularySize: number): number {
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
  /** One bit for each token; the logits of tokens whose bits are 0 become -Infinity. */
  readonly mask: Uint32Array | null;
  /** No token twice. */
  readonly tokens: readonly number[];
  readonly logits: readonly number[];
}

/**
 * Logits on a device. They are valid until the caller releases them (`release`, once).
 * @throws the device's Error, from every call that asks the device.
 */
export interface DeviceLogits {
  readonly summary: LogitsSummary;
  /** The logit of the token that the pass read after this row; null for the last row of a pass, and for an edited one. */
  readonly nextLogit: number | null;
  /** The logits of these tokens. */
  gather(tokens: readonly number[]): Promise<Float32Array>;
  /** Draws a token; null if the device cannot draw it, so that the caller has to read the row. */
  drawToken(draw: LogitsDraw): Promise<DrawnToken | null>;
  /** How many tokens of the mask (one bit for each token) have a logit above -Infinity. */
  countLeft(mask: Uint32Array): Promise<number>;
  /**
   * Makes a changed row, whose summary has `scaled` at this temperature. Returns all logits if the row has no summary,
   * because too many logits are equal (see LogitsSummary.tokens).
   */
  change(change: LogitsChange, temperature: number): Promise<DeviceLogits | Float32Array>;
  /** All logits. */
  read(): Promise<Float32Array>;
  release(): void;
}
