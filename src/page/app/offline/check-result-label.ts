/** Describes the check of a saved model. Pure. */
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

/** @param damaged paths of files that differ from the downloaded bytes. */
export function checkResultLabel(title: string, damaged: readonly string[], isNewerThere: boolean): string {
  const state = damagedLabel(
    title,
    damaged.map((path) => showInvisibleCharacters(path)),
  );
  return isNewerThere ? `${state} A newer version is on Hugging Face.` : state;
}

function damagedLabel(title: string, paths: readonly string[]): string {
  if (paths.length === 0) return `All saved files of ${title} are intact.`;
  return paths.length === 1
    ? `A file of ${title} was damaged: ${paths[0]}. The file was downloaded again, or removed if the server no longer has it.`
    : `Damaged files of ${title}: ${paths.join(", ")}. They were downloaded again, or removed if the server no longer has them.`;
}
