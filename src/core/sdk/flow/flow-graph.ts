/** The types of a flow's graph: questions, and where their answers lead. One file, because the types refer to one another. */
import type { ToolCallInput } from "../arguments.ts";
import type { FlowState } from "./state.ts";

/** A target of a flow that is not a question. Made by `message`, `summary`, `output`, `tool` and `end`. */
export type Route<Data = Record<string, unknown>> =
  | {
      readonly kind: "message";
      readonly text: string;
      readonly end: boolean;
      /** false turns off token healing of the text. */
      readonly heal: boolean;
    }
  | { readonly kind: "summary"; readonly text: string | null; readonly end: boolean; readonly heal: boolean }
  | { readonly kind: "output"; readonly text: string }
  | { readonly kind: "tool"; readonly calls: ToolCalls<Data> }
  | { readonly kind: "end" };

/** Tool calls, or a function that returns tool calls and is called once. */
export type ToolCalls<Data = Record<string, unknown>> =
  | ToolCallInput
  | readonly ToolCallInput[]
  | ((state: FlowState<Data>) => ToolCallInput | readonly ToolCallInput[]);

/** A question, a route, a text (a message), or a function that returns one of these. A function that returns nothing ends the flow. */
export type Target<Data = Record<string, unknown>> =
  | Question<Data>
  | Route<Data>
  | string
  | ((state: FlowState<Data>) => Target<Data> | null | undefined);

export interface RetryOptions<Data> {
  /** How often the question may be asked again. */
  readonly times: number;
  /** Returns whether an answer is accepted. */
  readonly valid: (answer: string, state: FlowState<Data>) => boolean;
  /** The target if no answer was accepted. If absent, the last answer is accepted after all. */
  readonly otherwise?: Target<Data>;
}

/**
 * A question of a flow. Its methods say what follows an answer, and return the question. Once an answer is complete, it is
 * stored, then the assignments run, then the flow goes to its next target: that of `on` for this answer, or else of the first
 * branch that returns a target, or else of `then`. Without a target, the flow ends.
 */
export interface Question<Data = Record<string, unknown>> {
  readonly name: string;
  /** Sets the target for this answer. Case and surrounding white space are ignored. */
  on(answer: string, target: Target<Data>): this;
  /** Sets the target for every other answer. The last call of `then` or `otherwise` counts. */
  then(target: Target<Data>): this;
  /** The same as `then`. */
  otherwise(target: Target<Data>): this;
  /** Calls a function with each accepted answer, before the flow goes on. May be used several times. */
  assign(assignment: (state: FlowState<Data>, answer: string) => void): this;
  /** Lets a function choose the target of an answer that no `on` names; if it returns undefined, the next branch is asked. May be used several times. */
  branch(branch: (state: FlowState<Data>) => Target<Data> | null | undefined): this;
  /** Answers in the model's place: if the function returns a text that is not blank, the question is not asked. */
  autoAnswer(autoAnswer: (state: FlowState<Data>) => string | null | undefined): this;
  /**
   * Asks again if `valid` returns false, up to `times` times. A refused answer is removed, unless `erase` is `"none"`. At
   * temperature 0 the same prompt has the same answer: set a temperature, or let the model see its first try.
   */
  retry(options: RetryOptions<Data>): this;
}
