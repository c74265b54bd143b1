/** Adds the source of a file to the mods, switched off, because the source may come from a stranger. */

import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { largestSource } from "../../../runtime/sandbox/compiled-mod.ts";
import { formatCount } from "../../../view/ui/format.ts";
import type { Stores } from "../store/stores.ts";

const ending = /\.[cm]?[tj]s$/i;

export const isModFile = ({ name }: File) => ending.test(name);

/** @throws Error that says why the source is not taken. */
export async function openModFile({ mods, notices }: Stores, file: File): Promise<void> {
  // A character has up to three bytes per UTF-16 unit; nothing longer is read.
  const source = file.size > 3 * largestSource ? null : await file.text();
  if (source === null || source.length > largestSource)
    throw new Error(`A mod may have at most ${formatCount(largestSource)} characters. Shorten the file.`);
  if (source.includes("\u0000"))
    throw new Error("The file is not a text file: choose a mod’s .ts or .js file.");
  const { id, name } = mods.getState().add(file.name.replace(ending, ""), source);
  mods.getState().setEnabled([id], false);
  notices
    .getState()
    .show(
      `${showInvisibleCharacters(name)} was added to your mods, switched off. Read its code, then switch it on.`,
      {
        label: "Undo",
        run: () => void mods.getState().remove(id),
      },
    );
}
