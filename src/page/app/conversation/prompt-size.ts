/** How much of the limits a long prompt uses, in words, before a run refuses it. Pure. */
import { formatCount } from "../../../core/base/number-text.ts";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import { editorLimits } from "../store/editor-limits.ts";

/** The size of a prompt is shown from so many characters on, or earlier if the model reads fewer. */
const shownFrom = 50_000;

/** `model`: the loaded model, if there is one. Null for a prompt that fits. */
export function longPromptSentence(
  characters: number,
  model: Pick<LoadedModel, "id" | "capacity"> | null,
): string | null {
  // A token has one character or more, and two to four in most texts.
  const least = model === null ? shownFrom : Math.min(shownFrom, 2 * model.capacity);
  if (characters < least) return null;
  const used = `${formatCount(characters)} of at most ${formatCount(editorLimits.characters)} characters.`;
  const name = model?.id.split("/").at(-1);
  if (model === null) return `${used} A model refuses a prompt that is longer than its context.`;
  return `${used} ${name} reads at most ${formatCount(model.capacity)} tokens and refuses a longer prompt.`;
}
