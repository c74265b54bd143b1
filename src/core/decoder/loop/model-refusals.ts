/** Refuses, before the start, requests that a model cannot run as they are. */
import { InvalidSettingError } from "../ports/invalid-setting.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import type { ModHost } from "../ports/mod-host.ts";
import type { DecodeRequest } from "../ports/request.ts";

/** @throws InvalidSettingError, which says what the model does not support and what to do instead. */
export function checkModelSupports(
  { returnsLogprobs, listedTokens, mostListed = listedTokens }: LanguageModel,
  { sampling }: DecodeRequest,
  mods: readonly ModHost[],
): void {
  if (returnsLogprobs && sampling.repetitionPenalty !== 1)
    throw new InvalidSettingError(
      "repetitionPenalty",
      "A repetition penalty needs the sign of each logit, but a server returns log-probabilities, which have lost the sign. Set the repetition penalty to 1, and use a presence or frequency penalty.",
    );
  if (mostListed === undefined) return;
  for (const { name, needs, handles } of mods) {
    if (!handles.has("forwardPass")) continue;
    if (needs.logits)
      throw new InvalidSettingError(
        "mods",
        `The mod ${name} reads all logits, but the server lists only the most likely tokens at each step. Let the mod read event.topK, or set the option "listed" to the size of the vocabulary.`,
      );
    if (needs.topK > mostListed)
      throw new InvalidSettingError(
        "mods",
        `The mod ${name} reads the ${needs.topK} most likely tokens, but the server lists at most ${mostListed} at each step. Let the mod read fewer.`,
      );
  }
}
