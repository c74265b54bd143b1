/** Which mods suit which model: some need one that follows instructions, and the bundled one only tells stories. */
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";

/** The kind of model that a mod is made for, as the gallery says it. */
export type ModNeed = "instruct";

/** The bundled model and its copies, by the id that a list, a choice or a record has. */
export function isStoryModel(id: string): boolean {
  return /(^|\/)stories260k$/i.test(id);
}

/**
 * The instruct model of the list that can be loaded soonest: one in a folder of the user's, else the smallest of a size that
 * is known; null if there is none.
 */
export function soonestInstructModel(entries: readonly CatalogEntry[]): CatalogEntry | null {
  const bytes = (entry: CatalogEntry) =>
    entry.origin === "folder" ? 0 : entry.downloadBytes || Number.POSITIVE_INFINITY;
  const found = entries.filter(({ reference }) => !isStoryModel(reference.id));
  return found.toSorted((a, b) => bytes(a) - bytes(b))[0] ?? null;
}

/** Names of the mods that were made for an instruct model, where a story model ran them. */
export function unsuitedMods(
  modelId: string,
  mods: readonly { readonly name: string; readonly needs: ModNeed | null }[],
): readonly string[] {
  return isStoryModel(modelId)
    ? mods.filter(({ needs }) => needs === "instruct").map(({ name }) => name)
    : [];
}
