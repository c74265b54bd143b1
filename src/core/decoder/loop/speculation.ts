/** Guesses that make the next passes cheaper: draft tokens for the next pass, whether the pass after it begins with the most likely token, or how many tokens a server may stream. */

import type { PassGuesses } from "../kv-cache/forward-pass.ts";
import { PromptLookup } from "../kv-cache/prompt-lookup.ts";
import type { DecodeState } from "./decode-state.ts";
import { tokensAllowedAhead } from "./limits.ts";

/** The guesses for the next pass. Call this once for each pass, except for those of the prompt (`prefillAndRecord`). */
export function guessesFor(state: DecodeState): PassGuesses {
  // Speculative tokens would have no hidden states, and the steering may change before they are used.
  if (state.activations) return {};
  return {
    draft: draftFor(state),
    isTopTokenNext: isTopTokenExpected(state),
    ahead: () => tokensAllowedAhead(state),
  };
}

/** Undefined if draft tokens would not help. */
function draftFor(state: DecodeState): PassGuesses["draft"] {
  const { ports, output, speculation } = state;
  const { passCost, isPassCostAssumed } = ports.kvCache.model;
  if (!passCost || !(ports.promptLookup ?? !isPassCostAssumed)) return undefined;
  speculation.promptLookup ??= new PromptLookup(passCost, output.promptLength);
  const { promptLookup } = speculation;
  const most = tokensAllowedAhead(state);
  // A forced span is already a long pass.
  const isSpan = () => output.sequence.length - ports.kvCache.length > 1;
  return () => (isSpan() ? [] : promptLookup.propose(output.sequence, most));
}

/** Only at temperature 0; otherwise the draw decides. Undefined if a guess does not help. */
function isTopTokenExpected(state: DecodeState): PassGuesses["isTopTokenNext"] {
  const { ports, output, request, logits } = state;
  const { topTokenGuess } = state.speculation;
  if (!ports.kvCache.model.forwardRows || request.sampling.temperature !== 0) return undefined;
  const isNextStep = logits.current?.step === output.length - 1;
  const topToken = isNextStep ? logits.current?.editableLogits.distribution.top[0]?.token : undefined;
  if (topToken !== undefined) topTokenGuess.note(topToken === output.sequence.at(-1));
  return () => tokensAllowedAhead(state) > 0 && topTokenGuess.expect();
}
