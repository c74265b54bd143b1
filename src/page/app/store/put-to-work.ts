/**
 * Switches on the mods that a gallery mod or a recorded run asks for, and all others off. `undo` reverts these changes and no
 * others.
 *
 * Example: the list is "a, b off, c", and a is open. A run asks for d, and for b with its export `loud`. b is in the list, so
 * only d is added: the list becomes "a off, c off, d, b" in the run's order, b runs `loud`, and d is open. `undo` → "a, b off,
 * c", and a is open. A second `undo` does nothing.
 *
 * `undo` has five cases, most with an exception for what the user did since:
 * - The added d is removed. If the user edited d, d stays, switched off, and `undo` returns ["d"].
 * - b is switched off; a and c are switched on.
 * - b gets back its earlier export, unless the user chose another export than `loud`.
 * - The order comes back, with mods that the user added at its end. If the user moved a mod, the order stays.
 * - a is opened, unless the user opened another mod than d.
 * A mod that the user deleted stays deleted.
 */
import type { StoreApi } from "zustand/vanilla";
import { cleanModName } from "./mod-name.ts";
import type { RequiredModelKind } from "./model-kind.ts";
import type { ModsState, UserMod } from "./mods-store.ts";

export interface ModsEnablingUndo {
  /**
   * Removes the mods that were added, restores which mods were on and which exports ran, and opens the mod that was open. A
   * mod that was added and edited since stays, switched off.
   * @returns the names of the mods that stay for that reason.
   */
  readonly undo: () => readonly string[];
}

interface WantedMod {
  readonly name: string;
  readonly source: string;
  readonly needs?: RequiredModelKind | null;
  readonly entry?: string;
}

/**
 * Switches on the wanted mods and no others. A mod with the same text that is in the list already is used again, so that no
 * mod stands there twice.
 */
export function enableOnlyMods(store: StoreApi<ModsState>, wanted: readonly WantedMod[]): ModsEnablingUndo {
  const { mods: before, active: activeBefore } = store.getState();
  const { add, setEnabled, open, arrange, chooseExport } = store.getState();
  const added: UserMod[] = [];
  const usedIds: string[] = [];
  const exportsBefore: {
    readonly id: string;
    readonly before: string | null;
    readonly now: string | null;
  }[] = [];
  for (const mod of wanted) {
    const { name, source, needs = null, entry = null } = mod;
    const existing = before.find((each) => isCopyOf(each, mod) && !usedIds.includes(each.id));
    const used = existing ?? add(name, source, { needs, entry });
    if (!existing) added.push(used);
    if (used.entry !== entry) {
      exportsBefore.push({ id: used.id, before: used.entry, now: entry });
      chooseExport(used.id, entry);
    }
    usedIds.push(used.id);
  }
  const switchedOff = before
    .filter(({ id, enabled }) => enabled && !usedIds.includes(id))
    .map(({ id }) => id);
  const switchedOn = before.filter(({ id, enabled }) => !enabled && usedIds.includes(id)).map(({ id }) => id);
  setEnabled(switchedOff, false);
  setEnabled(switchedOn, true);
  // The order with the added mods, and before the wanted mods are moved: `undo` goes back to this order.
  const orderBefore = idsOf(store);
  const places = usedIds.map((id) => orderBefore.indexOf(id));
  if (places.some((place, at) => place < (places[at - 1] ?? 0))) arrange(usedIds);
  const orderAfter = idsOf(store);
  const [first] = usedIds;
  if (first !== undefined) open(first);
  let isUndone = false;
  const undo = () => {
    if (isUndone) return [];
    isUndone = true;
    const isOpenHere = store.getState().active === (first ?? null);
    const editedMods = added.flatMap(({ id, source }) => {
      const now = store.getState().mods.find((mod) => mod.id === id);
      if (!now) return [];
      if (now.source !== source) return [now];
      store.getState().remove(id);
      return [];
    });
    setEnabled([...switchedOn, ...editedMods.map(({ id }) => id)], false);
    setEnabled(switchedOff, true);
    const stillHere = (ids: readonly string[]) => ids.filter((id) => idsOf(store).includes(id));
    for (const { id, before, now } of exportsBefore) {
      if (store.getState().mods.find((mod) => mod.id === id)?.entry === now) chooseExport(id, before);
    }
    // The same order as after the change, without deleted mods and mods added since: the user moved no mod.
    const orderNow = idsOf(store).filter((id) => orderAfter.includes(id));
    if (String(orderNow) === String(stillHere(orderAfter)) && orderAfter !== orderBefore) {
      arrange([...stillHere(orderBefore), ...idsOf(store).filter((id) => !orderBefore.includes(id))]);
    }
    if (isOpenHere && activeBefore !== null && stillHere([activeBefore]).length > 0) open(activeBefore);
    return editedMods.map(({ name }) => name);
  };
  return { undo };
}

/** Whether `mod` has the same text and the same name, or the name that it got beside another mod of that name (`name-2`). */
export function isCopyOf(mod: Pick<UserMod, "name" | "source">, wanted: WantedMod): boolean {
  const name = cleanModName(wanted.name) || "mod";
  return mod.source === wanted.source && (mod.name === name || mod.name.replace(/-\d+$/, "") === name);
}

function idsOf(store: StoreApi<ModsState>): readonly string[] {
  return store.getState().mods.map(({ id }) => id);
}
