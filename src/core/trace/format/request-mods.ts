/** The mods that take part in a request, and the mods that took part only in records copied from another request. */
import type { RequestRecord, TraceMod } from "./format-request.ts";

/** The mods that the request runs, without the mods that took part only in the parent request. */
export function ownMods({ mods, branch }: Pick<RequestRecord, "mods" | "branch">): readonly TraceMod[] {
  return branch === null || branch.parentMods === 0 ? mods : mods.slice(0, mods.length - branch.parentMods);
}

/** Whether the mod at this place of the list took part only in the parent request. */
export function isParentMod(request: Pick<RequestRecord, "mods" | "branch"> | null, mod: number): boolean {
  return request !== null && mod >= ownMods(request).length && mod < request.mods.length;
}

/**
 * The place of a mod of the request: the given place. For a mod that took part only in the parent request, the place of this
 * request's mod with the same name, or -1.
 */
export function findOwnModPlace(request: Pick<RequestRecord, "mods" | "branch">, mod: number): number {
  if (!isParentMod(request, mod)) return mod;
  return ownMods(request).findIndex(({ name }) => name === request.mods[mod]?.name);
}
