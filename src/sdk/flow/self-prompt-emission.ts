/** What a self-prompt does to the text: tokens that it takes out, and tokens that it puts in. */
import type { Action } from "../action.ts";
import type { AllActions } from "../actions.ts";
import type { TokenId } from "../request.ts";

export interface Emission {
  /** So many of the last tokens go. */
  readonly remove: number;
  readonly tokens: readonly TokenId[];
  /** The tokens stand only until the answer is complete. */
  readonly hidden: boolean;
}

export function emit({ remove, tokens, hidden }: Emission, actions: AllActions): Action {
  const options = hidden ? { hidden } : {};
  if (remove === 0) return actions.forceTokens(tokens, options);
  return tokens.length === 0 ? actions.backtrack(remove) : actions.backtrack(remove, tokens, options);
}

/** Number of first tokens, at most `most`, in which both agree. */
export function sharedLength(a: readonly TokenId[], b: readonly TokenId[], most: number): number {
  const end = Math.min(a.length, b.length, most);
  let shared = 0;
  while (shared < end && a[shared] === b[shared]) shared++;
  return shared;
}
