/**
 * The events of a stream of the growing answer, for readers who do not want records. Types only; `text-stream.ts` makes the
 * events.
 */
import type { FinishedRecord, TraceDistribution, TraceTokenSource } from "../format/format.ts";

/** A token that belongs to streamed text. */
export interface StreamedToken {
  readonly token: number;
  /** The text that the token added; "" if a later token completes its character. */
  readonly text: string;
  readonly index: number;
  readonly source: TraceTokenSource;
  /** Place of the mod that forced the token, among the request's mods; null if no mod did. */
  readonly mod: number | null;
  /** Natural log-probability before temperature and after the mods; null if unknown, as for forced tokens before their pass. */
  readonly logprob: number | null;
  /** The distribution from which the token was drawn or by which it was scored; null if unknown. */
  readonly distribution: TraceDistribution | null;
}

/** A tool call of an answer. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of an object; only its beginning if the answer was cut. */
  readonly arguments: string;
}

/** The calls of an answer that has ended. */
export interface StreamedCalls {
  readonly list: readonly StreamedCall[];
  /**
   * The place of the call (from 0) in which the answer was cut; null if all calls are whole. The cut call is the last of `list`,
   * or missing if its name had not come.
   */
  readonly cut: number | null;
}

/** Reads the calls in an answer as it grows. A longer text only adds to the calls of a shorter one. */
export interface ToolCallReader {
  /** Special tokens that mark calls, by id. Special tokens have no text of their own. */
  readonly markers: Readonly<Record<number, string>>;
  /** `text`: the answer without its reasoning, with markers written by their names. `isOver`: no more text will come. */
  read(
    text: string,
    isOver: boolean,
  ): {
    /** UTF-16 length of the text before the calls; while no call has begun, of the text in which none can begin any more. */
    readonly textLength: number;
    /** Null while no call has begun. A call whose name has not come is left out. */
    readonly calls: readonly (Omit<StreamedCall, "id"> & { readonly isWhole: boolean })[] | null;
    /** True if the last call is incomplete: the last of `calls`, or a further call whose name has not come. */
    readonly isOpen: boolean;
  };
}

/** The answer's part of a text: from `start`, markers included. */
export interface MarkedText {
  readonly text: string;
  /** The markers in the text: where each begins, and its length. The visible text has no markers. */
  readonly markers: readonly { readonly at: number; readonly length: number }[];
}

export interface AnswerTextAndCalls {
  /** UTF-16 length of the answer's text before its calls, markers left out. */
  readonly textLength: number;
  /** Null while no call has begun. */
  readonly calls: StreamedCalls | null;
}

/** The calls of one answer, as a stream sends them. `call-stream.ts` sends them as they come. */
export interface AnswerCalls {
  /** The seed of the request, from which the calls' ids are made. */
  seed: number;
  prompt: readonly number[];
  /** The name of a special token that marks calls. */
  marker(token: number): string | undefined;
  read(answer: MarkedText, isOver: boolean): AnswerTextAndCalls;
  /**
   * The events that make the receiver's calls equal to `calls`; null if it already has different calls. `isOver`: the answer
   * has ended. Before, `calls` may become fewer or shorter: a mod may put back the text that it removed.
   */
  send(calls: readonly StreamedCall[], isOver: boolean): readonly TextStreamEvent[] | null;
}

export type TextStreamEvent =
  /** Appends `text`, which consists of whole characters, to the text that was sent before. */
  | { readonly type: "text"; readonly text: string; readonly tokens: readonly StreamedToken[] }
  /** Takes back the last `length` UTF-16 units of the sent text. Only if the option `retract` is set. */
  | { readonly type: "retract"; readonly length: number }
  /** A tool call begins, after all text. Its arguments follow. */
  | { readonly type: "call"; readonly place: number; readonly id: string; readonly name: string }
  /** Appends `text` to the arguments of the call that were sent before. */
  | { readonly type: "callArguments"; readonly place: number; readonly text: string }
  /** Always the last event. */
  | {
      readonly type: "finished";
      readonly record: FinishedRecord;
      readonly calls: StreamedCalls;
      /** How many of the tokens are reasoning, including marks and the white space after them. Absent if none are. */
      readonly reasoningTokens?: number;
    };

/**
 * The events of a model that may think first: reasoning events, and the events of its answer, to which `text` and `retract`
 * belong.
 */
export type AnswerStreamEvent =
  | TextStreamEvent
  /** Appends `text` to the reasoning that was sent before. Marks are not sent. */
  | { readonly type: "reasoning"; readonly text: string }
  /** Takes back the last `length` UTF-16 units of the reasoning. Only if the option `retract` is set. */
  | { readonly type: "retractReasoning"; readonly length: number };

export interface TextStreamOptions {
  /**
   * Number of last tokens that are held back, since a mod may still remove them. "all": everything until the request has ended. 0
   * if no mod of the request can remove text. "auto": as many as the mods of the request declared (`maxBacktrack`), and "all" if
   * a mod that may remove text (`mayTakeBack`) declared nothing.
   */
  readonly holdback: number | "all" | "auto";
  /** For "auto": whether the source of each mod names an action that removes text. */
  readonly mayTakeBack?: readonly boolean[];
  /**
   * Holds no text back for mods: a `retract` event takes sent text back. Tool calls are still held back by `holdback`, since no
   * event takes back a sent call.
   */
  readonly retract?: boolean;
  /** For a request with tools: sends its calls while the model writes them. If absent, the calls are sent at the end. */
  readonly calls?: AnswerCalls;
  /** True to hold back forced tokens until the next pass has computed their log-probability. */
  readonly logprobs?: boolean;
}
