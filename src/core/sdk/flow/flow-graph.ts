/** The types of a flow's graph: questions, and where their answers lead. They refer to one another, so they stand together. */
import type { ToolCallInput } from "../arguments.ts";
import type { FlowState } from "./state.ts";

/** Something other than a question that a flow comes to. Made by `message`, `summary`, `output`, `tool` and `end`. */
export type Route<Data = Record<string, unknown>> =
  | {
      readonly kind: "message";
      readonly text: string;
      readonly end: boolean;
      /** false: the tokens of the text stay, even if it ends within a word. */
      readonly heal: boolean;
    }
  | { readonly kind: "summary"; readonly text: string | null; readonly end: boolean; readonly heal: boolean }
  | { readonly kind: "output"; readonly text: string }
  | { readonly kind: "tool"; readonly calls: ToolCalls<Data> }
  | { readonly kind: "end" };

/** Tool calls, or a function that makes them; it is called once. */
export type ToolCalls<Data = Record<string, unknown>> =
  | ToolCallInput
  | readonly ToolCallInput[]
  | ((state: FlowState<Data>) => ToolCallInput | readonly ToolCallInput[]);

/** A question, a route, a text (a message), or a function that gives one of these; a function that gives nothing ends the flow. */
export type Target<Data = Record<string, unknown>> =
  | Question<Data>
  | Route<Data>
  | string
  | ((state: FlowState<Data>) => Target<Data> | null | undefined);

export interface RetryOptions<Data> {
  /** How often the question may be asked again. */
  readonly times: number;
  /** Whether an answer is taken. */
  readonly valid: (answer: string, state: FlowState<Data>) => boolean;
  /** Where to go when no answer was taken in the end. Left out: the last one is taken after all. */
  readonly otherwise?: Target<Data>;
}

/**
 * A question of a flow. Its methods say what follows, and give the question back. When an answer is complete, in this
 * order and each exactly once: it is stored, the assignments run, and the flow goes where `on` says for this answer, else
 * where the first branch says that says anything, else where `then` says; else the flow is over.
 */
export interface Question<Data = Record<string, unknown>> {
  readonly name: string;
  /** Where this answer leads. Upper and lower case, and white space around it, make no difference. */
  on(answer: string, target: Target<Data>): this;
  /** Where every other answer leads. The last call of `then` or `otherwise` counts. */
  then(target: Target<Data>): this;
  /** The same as `then`. */
  otherwise(target: Target<Data>): this;
  /** Calls a function with each accepted answer, before the flow goes on. May be used several times. */
  assign(assignment: (state: FlowState<Data>, answer: string) => void): this;
  /** Lets a function choose where to go, where `on` has nothing for the answer; undefined leaves it to the next branch. May be used several times. */
  branch(branch: (state: FlowState<Data>) => Target<Data> | null | undefined): this;
  /** Answers in the model's place: when the function gives a text that is not blank, the question is not asked. */
  autoAnswer(autoAnswer: (state: FlowState<Data>) => string | null | undefined): this;
  /**
   * Asks again when `valid` says no, up to `times` times; what stays of a refused answer goes too, unless `erase` is
   * `"none"`. The same prompt at temperature 0 has the same answer: set a temperature, or leave the first try to be seen.
   */
  retry(options: RetryOptions<Data>): this;
}
