/** Splits a model string, `model/first,second`, into the model and its mods. */
import { modelNotFoundError } from "./api-error.ts";

export interface ModelString {
  readonly model: string;
  /** The mods' names, in the order in which the mods run. */
  readonly mods: readonly string[];
}

/**
 * Splits a model string. Ids of models may contain slashes, so the longest id that matches is used. The rest are names of
 * mods, separated by slashes or commas.
 * @throws ApiError, 404, that names the available models.
 */
export function readModelString(text: string, models: readonly string[]): ModelString {
  const model = models
    .filter((id) => text === id || text.startsWith(`${id}/`))
    .reduce<string | null>(
      (longest, id) => (longest === null || id.length > longest.length ? id : longest),
      null,
    );
  if (model === null) throw modelNotFoundError(text, models, "No model is loaded: load one first.");
  const rest = text.slice(model.length + 1);
  return { model, mods: rest === "" ? [] : rest.split(/[/,]/) };
}
