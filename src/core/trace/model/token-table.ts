/** Every emitted token of a request in columns: entry `i` of each column belongs to the token with index `i`. */
import type { TraceToken, TraceTokenSource } from "../format/format-values.ts";
import type { TokenSteering } from "./steered.ts";

/**
 * How a token came into the output, as the views draw it. `adjusted`: sampled from logits that a mod changed. `moved`: repeats
 * text of a question that a mod asked. `end`: the end-of-sequence token, from the model or from a mod.
 */
export type TokenKind = "sampled" | "adjusted" | "forced" | "reinjected" | "moved" | "end";

/** Means "none" in columns of record, span, mod or event numbers. */
export const noIndex = -1;

/**
 * Tokens are only appended. An existing token changes in two ways: `removedBy` is set once, and a `scored` record fills in its
 * columns. NaN means unknown.
 */
export interface TokenTable {
  readonly token: number[];
  readonly text: string[];
  readonly kind: TokenKind[];
  readonly source: TraceTokenSource[];
  /** Number of tokens in the output before this one when it was added. */
  readonly step: number[];
  readonly timeUs: number[];
  /** Number of the mod that forced the token; `noIndex` for others. */
  readonly mod: number[];
  /** Number of the removed span that contains the token. */
  readonly removedBy: number[];
  /** Number of the removed span that the token replaces. */
  readonly replaces: number[];
  /** Natural log-probabilities and probability, as in the records; entropies in bits. */
  readonly logprobBefore: number[];
  readonly logprobAfter: number[];
  readonly probability: number[];
  readonly entropyBefore: number[];
  readonly entropyAfter: number[];
  readonly counterfactual: (TraceToken | null)[];
  /**
   * The steering of the pass from which the token was drawn; null if nothing steered the pass, and for tokens that
   * were not drawn.
   */
  readonly steered: (TokenSteering | null)[];
  /** Numbers of the records with more about the token. */
  readonly addedRecord: number[];
  readonly forwardRecord: number[];
  readonly adjustedRecord: number[];
  readonly sampledRecord: number[];
  readonly scoredRecord: number[];
  /** Number of the event at which a mod forced the token; for sampled tokens, the event of the forward pass. */
  readonly event: number[];
  /** Number of the record of the mod call that forced the token. */
  readonly callRecord: number[];
}

/** An empty table; each token that the run emits becomes a row. */
export function createTokenTable(): TokenTable {
  return {
    token: [],
    text: [],
    kind: [],
    source: [],
    step: [],
    timeUs: [],
    mod: [],
    removedBy: [],
    replaces: [],
    logprobBefore: [],
    logprobAfter: [],
    probability: [],
    entropyBefore: [],
    entropyAfter: [],
    counterfactual: [],
    steered: [],
    addedRecord: [],
    forwardRecord: [],
    adjustedRecord: [],
    sampledRecord: [],
    scoredRecord: [],
    event: [],
    callRecord: [],
  };
}
