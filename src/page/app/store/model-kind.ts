/** Which mods suit which model: some mods need a model that follows instructions, and the bundled model only tells stories. */
import type { CatalogEntry } from "../../../runtime/session/shared/catalog.ts";

/** The kind of model that a mod is made for, as the gallery says it. */
export type RequiredModelKind = "instruct";

/** Whether an id of a list, a choice or a record names the bundled model or a copy of it. */
export function isStoryModel(id: string): boolean {
  return /(^|\/)stories260k$/i.test(id);
}

/**
 * The instruct model of the list that loads fastest: a model in a folder of the user, otherwise the smallest model of known
 * size; null if there is none.
 */
export function fastestLoadingInstructModel(entries: readonly CatalogEntry[]): CatalogEntry | null {
  const bytes = (entry: CatalogEntry) =>
    entry.origin === "folder" ? 0 : entry.downloadBytes || Number.POSITIVE_INFINITY;
  const found = entries.filter(({ reference }) => !isStoryModel(reference.id));
  return found.toSorted((a, b) => bytes(a) - bytes(b))[0] ?? null;
}

/** If a story model ran the mods: the names of the mods that were made for an instruct model. */
export function unsuitedModNames(
  modelId: string,
  mods: readonly { readonly name: string; readonly needs: RequiredModelKind | null }[],
): readonly string[] {
  return isStoryModel(modelId)
    ? mods.filter(({ needs }) => needs === "instruct").map(({ name }) => name)
    : [];
}
