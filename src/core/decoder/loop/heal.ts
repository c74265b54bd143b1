/** Removes the end of a text that is healed, and adds the token that was chosen in its place. */
import { tokensThatBeginWith } from "../../masks/vocabulary/token-prefixes.ts";
import { vocabularyOf } from "../../masks/vocabulary/vocabulary.ts";
import { applyOutputEdit, forgetRemoved } from "./apply.ts";
import { beginStep, type DecodeState } from "./decode-state.ts";
import { recordEdits } from "./edit-logits.ts";
import type { EventDispatch } from "./event-dispatch.ts";
import { type Healing, type HealingChoice, resizeTokenMask } from "./healing.ts";
import { createStepLogits, type StepLogits, samplingSettingsWith } from "./logits-of-step.ts";
import { finiteLogprob, type SampledToken, sampleToken } from "./sample.ts";

/** A chosen token and its step. */
export interface ChosenToken {
  readonly stepLogits: StepLogits;
  readonly sampled: SampledToken;
}

/**
 * Chooses the token that heals a text, in a replayed request or in a branch that begins at this step. The mods were already asked
 * at the step after the text, and are not asked about these logits.
 * @throws ForwardError
 */
export async function chooseAtHealedStep(
  state: DecodeState,
  stepLogits: StepLogits,
  hiddenBy: number | null,
): Promise<ChosenToken> {
  stepLogits.hiddenBy = hiddenBy;
  if (!state.source.isPast && stepLogits.userToken === null && state.healed) {
    const bytes = new TextEncoder().encode(state.healed.text);
    const { tokenizer, kvCache } = state.ports;
    const beginning = tokensThatBeginWith(vocabularyOf(tokenizer), bytes);
    if (beginning) {
      const mask = resizeTokenMask(beginning, kvCache.model.vocabularySize);
      await stepLogits.editableLogits.edit({ mask }, samplingSettingsWith(state, null));
    }
    recordEdits(state, stepLogits);
  }
  return { stepLogits, sampled: await sampleToken(state, stepLogits) };
}

/** Removes the end of the text. Returns the event to ask the mods about; null if the end was in the prompt. @throws ForwardError */
export async function removeHealedEnd(
  state: DecodeState,
  { healed, mod }: Healing,
): Promise<EventDispatch | null> {
  const { output } = state;
  if (healed.inPrompt) {
    output.healPrompt(healed.tokens, healed.text);
    forgetRemoved(state);
    state.logits.current = null;
    state.logits.knownChoice = null;
    state.healed = healed;
    return null;
  }
  const event = await applyOutputEdit(state, {
    type: "remove",
    count: healed.tokens,
    mod: mod ?? 0,
    replacement: [],
  });
  state.healed = healed;
  return event;
}

/** Returns the token that was chosen from the logits before the end of the text, and records its pass. */
export function takeHealingToken(
  state: DecodeState,
  stepLogits: StepLogits,
  chosen: HealingChoice,
  hiddenBy: number | null,
): ChosenToken {
  const healedStep = createStepLogits(state.output.length, stepLogits.editableLogits);
  healedStep.hiddenBy = hiddenBy;
  return {
    stepLogits: healedStep,
    sampled: recordHealingChoice(state, stepLogits, chosen, hiddenBy !== null),
  };
}

/** Records the choice from the logits before the end of the text. */
function recordHealingChoice(
  state: DecodeState,
  { temperature }: StepLogits,
  { choice, draw, logprobs, unhealed, before, after }: HealingChoice,
  isHidden: boolean,
): SampledToken {
  const { output, recorder, draws, healed } = state;
  const step = output.length;
  beginStep(state, false);
  recorder.forwardPass(step, { tokenCount: 0, durationMs: 0 }, output.sequence.length, before);
  recorder.adjusted(step, after, temperature);
  draws.take(step, isHidden);
  state.logits.knownChoice = { step, token: choice.token };
  const logprobBefore = finiteLogprob(logprobs.before);
  const logprobAfter = finiteLogprob(logprobs.after);
  const counterfactual = unhealed === choice.token ? null : unhealed;
  return {
    token: choice.token,
    logprob: logprobAfter,
    record: () =>
      recorder.sampled({ step, choice, draw, logprobBefore, logprobAfter, counterfactual, healed }),
  };
}
