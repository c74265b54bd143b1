/** Describes the check of a saved model. Pure. */
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

/** @param damaged paths of files that differ from the downloaded bytes. */
export function checkResultLabel(title: string, damaged: readonly string[], isNewerThere: boolean): string {
  const state =
    damaged.length === 0
      ? `All saved files of ${title} are intact.`
      : `${damaged.map((path) => showInvisibleCharacters(path)).join(" and ")} ${damaged.length === 1 ? "was" : "were"} damaged in ${title}. Damaged files were downloaded again; files that the server no longer has were removed.`;
  return isNewerThere ? `${state} A newer version is on Hugging Face.` : state;
}
