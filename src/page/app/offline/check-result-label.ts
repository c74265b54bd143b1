/** Describes the check of a saved model. Pure. */
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

/** @param damaged paths of files that differ from the downloaded bytes. */
export function checkResultLabel(title: string, damaged: readonly string[], isNewerThere: boolean): string {
  const state =
    damaged.length === 0
      ? `All saved files of ${title} are intact.`
      : `Damaged files of ${title}: ${damaged.map((path) => showInvisibleCharacters(path)).join(", ")}. They were downloaded again, or removed if the server no longer has them.`;
  return isNewerThere ? `${state} A newer version is on Hugging Face.` : state;
}
