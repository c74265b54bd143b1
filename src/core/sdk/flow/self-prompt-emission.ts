/** The changes that a self-prompt makes to the text: tokens that it removes and tokens that it adds. */
import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { TokenId } from "../request.ts";

export interface QuestionEdit {
  /** Number of last tokens to remove. */
  readonly remove: number;
  readonly tokens: readonly TokenId[];
  /** True if the tokens belong to a hidden question: they stay in the output only until its answer is complete. */
  readonly hidden: boolean;
  /** True if the tokens end with a text that the model continues, so that the end of the text may be healed. */
  readonly heal: boolean;
}

/** The action that removes the last `remove` tokens of the output and adds `tokens`. */
export function outputEditAction(
  { remove, tokens, hidden, heal }: QuestionEdit,
  actions: AllActions,
): Action {
  const options = { ...(hidden && { hidden }), ...(heal && { heal }) };
  if (remove === 0) return actions.forceTokens(tokens, options);
  return tokens.length === 0 ? actions.backtrack(remove) : actions.backtrack(remove, tokens, options);
}
