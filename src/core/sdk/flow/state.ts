import type { OptionScore } from "./option-scores.ts";

/** An answer that was given in a flow. */
export interface FlowAnswer {
  /** Name of the question. */
  readonly question: string;
  /** The answer's text, without stop sequence and surrounding white space. */
  readonly answer: string;
  /** `auto` if `autoAnswer` answered and the model was not asked. */
  readonly source: "model" | "auto";
  /** False for an answer that `retry` refused. */
  readonly isAccepted: boolean;
}

/** The flow's state in one request. */
export interface FlowState<Data = Record<string, unknown>> {
  /** The last accepted answer to each question, by the question's name. */
  readonly answers: Record<string, string>;
  /** For questions with `scores: true`, by name: the probability of every option when the question was last asked. */
  readonly scores: Record<string, readonly OptionScore[]>;
  /** Every answer, in order. */
  readonly history: readonly FlowAnswer[];
  /** The author's own data, as `flow({ state })` returned it; by default an empty object. */
  data: Data;
}
