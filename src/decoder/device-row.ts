/** The port to a row of logits that lies on a device: what a loop may ask of it without bringing all of it here. */

/**
 * What stands for a row until more is asked of it: its most likely tokens, and sums over pieces of it. The listed logits are
 * exact; the sums are off by `sumError` of themselves at most.
 */
export interface RowSummary {
  readonly vocabularySize: number;
  /** Most likely first; of equals the lower id first. Every other token is less likely than the last one. -Infinity is never among them. */
  readonly tokens: Int32Array;
  /** Of `tokens`. */
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

/** What becomes of a row: a mask, then logits that are set. */
export interface RowChange {
  /** A bit for each token; those whose bits are 0 become -Infinity. */
  readonly mask: Uint32Array | null;
  /** No token twice. */
  readonly tokens: readonly number[];
  readonly logits: readonly number[];
}

/**
 * A row of logits on a device. It is there until whoever asked for it gives it back (`release`, once). @throws Error of the device, from every call that asks it.
 */
export interface DeviceRow {
  readonly summary: RowSummary;
  /** The logit of the token that the pass read after this row; null for the last row of a pass, and for an edited one. */
  readonly nextLogit: number | null;
  /** The summary with `scaled` at another temperature; the row itself, where its summary can no longer be made. */
  summarize(temperature: number): Promise<RowSummary>;
  /** The logits of these tokens. */
  gather(tokens: readonly number[]): Promise<Float32Array>;
  /** The logits of the tokens from `start` up to `end`. */
  slice(start: number, end: number): Promise<Float32Array>;
  /** How many logits are at least this large. */
  countAtLeast(logit: number): Promise<number>;
  /** How many tokens of the mask, a bit for each, have a logit above -Infinity. */
  countLeft(mask: Uint32Array): Promise<number>;
  /** Another row, whose summary has `scaled` at this temperature; all of it where it has no summary (see RowSummary.tokens: too many equals). */
  change(change: RowChange, temperature: number): Promise<DeviceRow | Float32Array>;
  /** All logits. */
  read(): Promise<Float32Array>;
  release(): void;
}
