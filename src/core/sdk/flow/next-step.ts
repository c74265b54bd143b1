/** The instructions that a driver of hidden questions gets from its users. */
import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { TokenId } from "../request.ts";
import type { Tokenizer } from "../tokenizer.ts";
import type { OptionScore } from "./option-scores.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

/** The next step: a text, a question after it, or the last action of the request. An empty object ends the self-prompt. */
export interface SelfPromptStep {
  readonly say?: readonly TokenId[];
  /** false turns off token healing of the text. */
  readonly heal?: boolean;
  readonly ask?: SelfPromptPlan;
  readonly finish?: (actions: AllActions) => Action;
  /** True if the answer was refused: it is removed, unless `erase` is `"none"`. */
  readonly isRejected?: boolean;
}

/** The log-probabilities of continuations that a driver waits for before it answers an event. */
export class ScoreRequest {
  constructor(
    readonly continuations: readonly (readonly TokenId[])[],
    /** Passes the log-probabilities to the driver. Returns its action for the event. */
    readonly resume: (logprobs: readonly number[]) => Action | null,
  ) {}
}

export interface SelfPromptDriverOptions {
  /** The name of the question or flow in errors. */
  readonly name: string;
  /** Returns the first step; called once. */
  readonly first: (tokenizer: Tokenizer) => SelfPromptStep;
  /** Returns the step after an answer; called once for each answer. */
  readonly answered: (answer: string, tokenizer: Tokenizer) => SelfPromptStep;
  /** Receives the probabilities of the options; called before `answered`. */
  readonly scored: (scores: readonly OptionScore[]) => void;
}
