/** Applies the mods' edits to the logits of one step. */
import { type Action, InvalidActionError } from "../../sdk/action.ts";
import { readsLogits } from "../ports/mod-host.ts";
import type { DecodeState } from "./decode-state.ts";
import { type StepLogits, samplingSettingsWith } from "./logits-of-step.ts";

/** The number of most likely tokens that mods usually ask for. */
const usualTopK = 64;

/** Prepares the data that edits of the step's logits and sampling will need, while the loop waits for the mods. */
export function prepareEdits(state: DecodeState, stepLogits: StepLogits): void {
  if (stepLogits.recorded) return;
  const isRead = state.mods.some(({ isStopped, host }) => !isStopped && readsLogits(host));
  stepLogits.editableLogits.prepare(isRead ? usualTopK : 0, state.request.sampling);
}

/**
 * Applies one mod's `adjustLogits`; other actions change nothing here. `mod`: the index of the mod.
 * @throws InvalidActionError if the edit leaves no token to sample.
 */
export async function editStepLogits(
  state: DecodeState,
  stepLogits: StepLogits,
  action: Action,
  mod: number,
): Promise<void> {
  if (action.type !== "adjustLogits") return;
  const { logits, temperature, hidden } = action;
  const isEdit = logits instanceof Float32Array || Object.keys(logits).length > 0;
  if (isEdit && stepLogits.recorded && state.source.failsEdit(mod)) {
    throw new InvalidActionError("adjustLogits", "forwardPass", "The edit left no token to sample.");
  }
  const sampledAt = temperature ?? stepLogits.temperature;
  if (isEdit && !stepLogits.recorded) {
    try {
      await stepLogits.editableLogits.edit(logits, samplingSettingsWith(state, sampledAt));
    } catch (error) {
      throw withEarlierEditors(error, state, stepLogits.editedBy);
    }
    stepLogits.editedBy.push(mod);
    if (logits instanceof Float32Array || logits.add) stepLogits.isReweighted = true;
    if (logits instanceof Float32Array || logits.mask || logits.only) stepLogits.isConstrained = true;
    else stepLogits.edits.push(logits);
  }
  stepLogits.temperature = sampledAt;
  if (hidden) stepLogits.hiddenBy ??= mod;
}

/** Adds to the fault the names of mods that edited these logits before, because their bans also count. */
function withEarlierEditors(error: unknown, state: DecodeState, editors: readonly number[]): unknown {
  if (!(error instanceof InvalidActionError) || editors.length === 0) return error;
  const names = editors.map((mod) => `"${state.mods[mod]?.host.name}"`).join(", ");
  const reason = `${error.reason} Mods that changed these logits before, in order: ${names}.`;
  return new InvalidActionError(error.action, error.event, reason);
}

/** Records the logits after the mods' edits, if a mod edited them or set a temperature. */
export function recordEdits(state: DecodeState, stepLogits: StepLogits): void {
  const { step, editableLogits, temperature } = stepLogits;
  if (editableLogits.isEdited || temperature !== null)
    state.recorder.adjusted(step, editableLogits.distributionAfter, temperature);
}
