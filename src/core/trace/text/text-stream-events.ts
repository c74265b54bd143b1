/**
 * The events that a stream of records becomes for a reader who only wants the growing text of the answer. Types only;
 * `text-stream.ts` makes them.
 */
import type { FinishedRecord, TraceDistribution, TraceTokenSource } from "../format/format.ts";

/** A token that belongs to streamed text. */
export interface StreamedToken {
  readonly token: number;
  /** The text that the token added; "" if a later token completes its character. */
  readonly text: string;
  readonly index: number;
  readonly source: TraceTokenSource;
  /** Place among the request's mods of the mod that put it there; null when none did. */
  readonly mod: number | null;
  /** Natural, of the distribution before temperature and after the mods; null if it is not known, as of forced tokens whose pass has not come. */
  readonly logprob: number | null;
  /** The distribution that it was drawn from, or by which it was scored; null if it is not known. */
  readonly distribution: TraceDistribution | null;
}

/** A tool call of an answer. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of an object; its beginning where the answer was cut. */
  readonly arguments: string;
}

/** The calls of an answer that has ended. */
export interface StreamedCalls {
  readonly list: readonly StreamedCall[];
  /**
   * The answer was cut in this call, counted from 0. Its entry is the last of `list`; there is none for it where its name had
   * not come. Null if all calls are whole.
   */
  readonly cut: number | null;
}

/** Reads the calls in an answer as it grows. A longer text only adds to the calls of a shorter one. */
export interface CallReader {
  /** Special tokens that mark calls, by id: no text has them. */
  readonly markers: Readonly<Record<number, string>>;
  /** `text`: the answer without its reasoning, markers written by their names. `isOver`: nothing will follow. */
  read(
    text: string,
    isOver: boolean,
  ): {
    /** UTF-16 length of the text before the calls; while none has begun, of the text that none can begin in any more. */
    readonly textLength: number;
    /** Null while no call has begun; without a call whose name has not come. */
    readonly calls: readonly (Omit<StreamedCall, "id"> & { readonly isWhole: boolean })[] | null;
    /** The last call has come in part: the last of `calls`, or a further call whose name has not come. */
    readonly isOpen: boolean;
  };
}

/** The answer's part of a text: from `start`, markers included. */
export interface MarkedText {
  readonly text: string;
  /** The markers in it: where each begins, and its length. The text that people see has none. */
  readonly markers: readonly { readonly at: number; readonly length: number }[];
}

export interface ReadAnswer {
  /** UTF-16 length of the answer's text before its calls, markers left out. */
  readonly textLength: number;
  /** Null while no call has begun. */
  readonly calls: StreamedCalls | null;
}

/** The calls of one answer, as a stream sends them. `call-stream.ts` sends them as they come. */
export interface AnswerCalls {
  /** The seed of the request, for the ids. */
  seed: number;
  prompt: readonly number[];
  /** The name of a special token that marks calls. */
  marker(token: number): string | undefined;
  read(answer: MarkedText, isOver: boolean): ReadAnswer;
  /**
   * The events by which the receiver has these calls; null if it was sent other ones. `isOver`: nothing will follow. Until then
   * fewer or shorter calls than were sent are no other ones: a mod may put back the text that it removed.
   */
  send(calls: readonly StreamedCall[], isOver: boolean): readonly TextStreamEvent[] | null;
}

export type TextStreamEvent =
  /** `text` follows what was sent. Whole characters. */
  | { readonly type: "text"; readonly text: string; readonly tokens: readonly StreamedToken[] }
  /** So many UTF-16 units at the end of what was sent are taken back. Only with `retract`. */
  | { readonly type: "retract"; readonly length: number }
  /** A tool call begins, after all text. Its arguments follow. */
  | { readonly type: "call"; readonly place: number; readonly id: string; readonly name: string }
  /** `text` follows the arguments of that call that were sent. */
  | { readonly type: "callArguments"; readonly place: number; readonly text: string }
  /** Always the last one. */
  | {
      readonly type: "finished";
      readonly record: FinishedRecord;
      readonly calls: StreamedCalls;
      /** How many of the tokens are reasoning, marks and the white space after them included. Absent if none are. */
      readonly reasoningTokens?: number;
    };

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
   * ended. 0 where no mod of the request can take anything back. "auto": as many as the mods of the request declared
   * (`maxBacktrack`), and "all" if a mod that may take text back (`mayTakeBack`) declared nothing.
   */
  readonly holdback: number | "all" | "auto";
  /** For "auto", of each mod of the request: its source names an action that removes text. */
  readonly mayTakeBack?: readonly boolean[];
  /**
   * Holds no text back for mods: what is taken back is said by a `retract` event. Tool calls are held back as `holdback` says,
   * since nothing takes back what was sent of a call.
   */
  readonly retract?: boolean;
  /** Where tools were offered: sends calls as they come, of this one stream. Without it they come when the request has ended. */
  readonly calls?: AnswerCalls;
  /** Waits for the log-probability of forced tokens, which the pass after them brings. */
  readonly logprobs?: boolean;
}
