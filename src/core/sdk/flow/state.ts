import type { OptionScore } from "./option-scores.ts";

/** An answer that was given in a flow. */
export interface FlowAnswer {
  /** Name of the question. */
  readonly question: string;
  /** Without a stop text and without white space around it. */
  readonly answer: string;
  /** `model`, or `auto` where the question was not asked. */
  readonly source: "model" | "auto";
  /** False for an answer that `retry` did not take. */
  readonly isAccepted: boolean;
}

/** The flow's state of one request. */
export interface FlowState<Data = Record<string, unknown>> {
  /** The last accepted answer to each question, by the question's name. */
  readonly answers: Record<string, string>;
  /** The probability of every option when the question was asked last, by the name of the question: of questions with `scores: true`. */
  readonly scores: Record<string, readonly OptionScore[]>;
  /** Every answer, in order. */
  readonly history: readonly FlowAnswer[];
  /** The author's own, as `flow({ state })` made it; an empty object unless given. */
  data: Data;
}
