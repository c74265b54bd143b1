/** Every emitted token of a request in columns: entry `i` of each column belongs to the token with index `i`. */
import type { TraceToken, TraceTokenSource } from "./format.ts";

/** How a token came into the output, as it is drawn. `adjusted`: sampled from logits that a mod changed. `end`: the end of the sequence, whoever put it there. */
export type TokenKind = "sampled" | "adjusted" | "forced" | "reinjected" | "end";

/** "None" in a column of record, span, mod or event numbers. */
export const none = -1;

/** Append-only but for `removedBy` (set once) and the columns that a `scored` record fills in later. NaN: unknown. */
export interface TokenTable {
  readonly token: number[];
  readonly text: string[];
  readonly kind: TokenKind[];
  readonly source: TraceTokenSource[];
  /** Place in the output when it was added, from 0. */
  readonly step: number[];
  readonly timeUs: number[];
  /** Mod that forced it. */
  readonly mod: number[];
  /** Number of the span that it was removed with. */
  readonly removedBy: number[];
  /** Number of the removed span in whose place it stands. */
  readonly replaces: number[];
  /** Natural log-probabilities and probability, as in the records; entropies in bits. */
  readonly logprobBefore: number[];
  readonly logprobAfter: number[];
  readonly probability: number[];
  readonly entropyBefore: number[];
  readonly entropyAfter: number[];
  readonly ghost: (TraceToken | null)[];
  /** Numbers of the records that tell more about it. */
  readonly addedRecord: number[];
  readonly forwardRecord: number[];
  readonly adjustedRecord: number[];
  readonly sampledRecord: number[];
  readonly scoredRecord: number[];
  /** Number of the event at which a mod forced it or, for sampled tokens, of its forward pass. */
  readonly event: number[];
  /** Record of the mod call that forced it. */
  readonly callRecord: number[];
}

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
    ghost: [],
    addedRecord: [],
    forwardRecord: [],
    adjustedRecord: [],
    sampledRecord: [],
    scoredRecord: [],
    event: [],
    callRecord: [],
  };
}

/** One entry of every column. */
export type TokenEntry = { readonly [Column in keyof TokenTable]: TokenTable[Column][number] };

export function pushToken(table: TokenTable, entry: TokenEntry): void {
  table.token.push(entry.token);
  table.text.push(entry.text);
  table.kind.push(entry.kind);
  table.source.push(entry.source);
  table.step.push(entry.step);
  table.timeUs.push(entry.timeUs);
  table.mod.push(entry.mod);
  table.removedBy.push(entry.removedBy);
  table.replaces.push(entry.replaces);
  table.logprobBefore.push(entry.logprobBefore);
  table.logprobAfter.push(entry.logprobAfter);
  table.probability.push(entry.probability);
  table.entropyBefore.push(entry.entropyBefore);
  table.entropyAfter.push(entry.entropyAfter);
  table.ghost.push(entry.ghost);
  table.addedRecord.push(entry.addedRecord);
  table.forwardRecord.push(entry.forwardRecord);
  table.adjustedRecord.push(entry.adjustedRecord);
  table.sampledRecord.push(entry.sampledRecord);
  table.scoredRecord.push(entry.scoredRecord);
  table.event.push(entry.event);
  table.callRecord.push(entry.callRecord);
}
