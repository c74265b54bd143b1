/** What a stream of records becomes for someone who only wants the answer's text as it grows. Types only; `text-stream.ts` makes it. */
import type { FinishedRecord, TraceDistribution, TraceTokenSource } from "./format.ts";

/** A token that belongs to streamed text. */
export interface StreamedToken {
  readonly token: number;
  /** What it added to the text; "" where a later token completes its character. */
  readonly text: string;
  readonly index: number;
  readonly source: TraceTokenSource;
  /** Place among the request's mods of the mod that put it there; null when none did. */
  readonly mod: number | null;
  /** Natural, of the distribution before temperature and after the mods; null where it is not known, as of forced tokens whose pass has not come. */
  readonly logprob: number | null;
  /** The distribution that it was drawn from, or by which it was scored; null where it is not known. */
  readonly distribution: TraceDistribution | null;
}

export type TextStreamEvent =
  /** `text` follows what was sent. Whole characters. */
  | { readonly type: "text"; readonly text: string; readonly tokens: readonly StreamedToken[] }
  /** So many UTF-16 units at the end of what was sent are taken back. Only with `retract`. */
  | { readonly type: "retract"; readonly length: number }
  /** Always the last one. */
  | { readonly type: "finished"; readonly record: FinishedRecord };

/** The same of a model that may think first: its reasoning apart from its answer, to which `text` and `retract` belong. */
export type AnswerStreamEvent =
  | TextStreamEvent
  /** `text` follows the reasoning that was sent. Without its marks. */
  | { readonly type: "reasoning"; readonly text: string }
  /** So many UTF-16 units at the end of the reasoning are taken back. Only with `retract`. */
  | { readonly type: "retractReasoning"; readonly length: number };

export interface TextStreamOptions {
  /**
   * So many of the last tokens are held back, since a mod may still take them back; "all": everything until the request has
   * ended. 0 where no mod of the request can take anything back.
   */
  readonly holdback: number | "all";
  /** Holds nothing back for mods: what is taken back is said by a `retract` event. */
  readonly retract?: boolean;
  /** Waits for the log-probability of forced tokens, which the pass after them brings. */
  readonly logprobs?: boolean;
}
