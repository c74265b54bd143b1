import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { TokenId } from "../request.ts";
import type { SelfPromptPlan } from "./self-prompt-plan.ts";

/** What comes next: a text, a question after it, or the last action of the request. An empty object ends the self-prompt. */
export interface NextStep {
  readonly say?: readonly TokenId[];
  readonly ask?: SelfPromptPlan;
  readonly finish?: (actions: AllActions) => Action;
  /** The answer is not taken: what stays of it goes too, unless everything stays. */
  readonly isRejected?: boolean;
}
