/**
 * The user's mods. Names, sources and exports belong to the browser: the other tabs show a change at once. The order, the switched-on
 * mods and the open mod belong to the tab, so that two tabs can try different things.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { editorLimits, modsProblem } from "./editor-limits.ts";
import type { LibraryMod, ModLibrary } from "./mod-library.ts";
import { cleanModName } from "./mod-name.ts";
import { newId } from "./new-id.ts";
import { asRecord, asString, type StoredValue } from "./persist.ts";

export interface UserMod extends LibraryMod {
  readonly enabled: boolean;
}

export interface ModList {
  readonly mods: readonly UserMod[];
  /** Id of the mod in the editor; null when there is none. */
  readonly active: string | null;
}

/** The state of this tab: ids of mods, some of which another tab may have deleted meanwhile. */
export interface StoredTabMods {
  readonly order: readonly string[];
  readonly enabled: readonly string[];
  readonly active: string | null;
}

export interface ModsState extends ModList {
  /** @throws Error beyond the most mods that the editor takes. */
  add(name: string, source: string, about?: Partial<Pick<UserMod, "needs" | "entry">>): UserMod;
  open(id: string): void;
  edit(id: string, source: string): void;
  rename(id: string, name: string): void;
  /** Chooses the export of the mod's file that runs; null: the default export. */
  chooseExport(id: string, entry: string | null): void;
  toggle(id: string): void;
  /** Switches the mods on or off; ids that the list lacks are ignored. */
  setEnabled(ids: readonly string[], enabled: boolean): void;
  /** Puts these mods in this order behind all others. */
  arrange(ids: readonly string[]): void;
  /** Moves a mod to a place in the order. */
  move(id: string, to: number): void;
  /** Returns a function that undoes the removal. */
  remove(id: string): () => void;
  /** Puts a deleted mod back, with its id, switched on. @throws Error beyond the most mods that the editor takes. */
  restore(mod: LibraryMod): void;
}

/** `initial`: the mods of a first visit. */
export function createModsStore(
  library: ModLibrary,
  stored: StoredValue<StoredTabMods>,
  initial: ModList,
): StoreApi<ModsState> {
  const tabMods = stored.load();
  const found = library.load();
  const isFirstVisit = !tabMods && found.length === 0;
  if (isFirstVisit) for (const mod of initial.mods) library.put(mod);
  const store = createStore<ModsState>()((set, get) => {
    const update = (id: string, changes: Partial<UserMod>) =>
      set(({ mods }) => ({ mods: mods.map((mod) => (mod.id === id ? { ...mod, ...changes } : mod)) }));
    const refuseTooMany = () => {
      const problem = modsProblem(get().mods.length + 1);
      if (problem !== null) throw new Error(problem);
    };
    return {
      ...(isFirstVisit ? initial : modsOfTab(found, tabMods)),
      add(name, source, { needs = null, entry = null } = {}) {
        refuseTooMany();
        const mod = {
          id: newId(),
          name: freeName(cleanModName(name) || "mod", get().mods),
          source,
          enabled: true,
          needs,
          entry,
        };
        set(({ mods }) => ({ mods: [...mods, mod], active: mod.id }));
        return mod;
      },
      open: (id) => set({ active: id }),
      edit: (id, source) => update(id, { source }),
      rename(id, name) {
        const others = get().mods.filter((mod) => mod.id !== id);
        const cleaned = cleanModName(name);
        if (cleaned !== "") update(id, { name: freeName(cleaned, others) });
      },
      chooseExport: (id, entry) => update(id, { entry }),
      toggle: (id) => update(id, { enabled: !get().mods.find((mod) => mod.id === id)?.enabled }),
      setEnabled: (ids, enabled) =>
        set(({ mods }) => ({ mods: mods.map((mod) => (ids.includes(mod.id) ? { ...mod, enabled } : mod)) })),
      arrange: (ids) => set(({ mods }) => ({ mods: arranged(mods, ids) })),
      move: (id, to) => set(({ mods }) => ({ mods: moved(mods, id, to) })),
      remove(id) {
        const before = get().mods;
        const at = before.findIndex((mod) => mod.id === id);
        const removed = before[at];
        if (!removed) return () => {};
        set(({ mods, active }) => without(mods, active, id));
        return () => {
          if (get().mods.some((mod) => mod.id === id)) return;
          set((state) => ({ mods: state.mods.toSpliced(at, 0, removed), active: id }));
        };
      },
      restore(mod) {
        const { mods } = get();
        if (mods.some(({ id }) => id === mod.id)) return set({ active: mod.id });
        refuseTooMany();
        const restored = { ...mod, name: freeName(mod.name, mods), enabled: true };
        set({ mods: [...mods, restored], active: mod.id });
      },
    };
  });
  if (isFirstVisit) stored.save(openModsOf(initial, []));
  shareWithOtherTabs(store, library, stored);
  return store;
}

/** The mods of the library, in the order and with the switches of this tab. */
function modsOfTab(found: readonly LibraryMod[], openMods: StoredTabMods | null): ModList {
  const places = new Map(openMods?.order.map((id, place) => [id, place]));
  const place = ({ id }: LibraryMod) => places.get(id) ?? places.size;
  const enabled = new Set(openMods?.enabled);
  const mods = found
    .map((mod) => ({ ...mod, enabled: enabled.has(mod.id) }))
    .sort((a, b) => place(a) - place(b));
  const isHere = mods.some(({ id }) => id === openMods?.active);
  return { mods, active: isHere ? (openMods?.active ?? null) : (mods[0]?.id ?? null) };
}

/** Writes the changes of this tab to the library, mod by mod, and shows the changes of other tabs. */
function shareWithOtherTabs(
  store: StoreApi<ModsState>,
  library: ModLibrary,
  stored: StoredValue<StoredTabMods>,
): void {
  /** Ids of mods whose latest text the browser refused to save: storage has an older text than this tab. */
  const unsaved = new Set<string>();
  /** The state of this tab as last saved. It still lists mods that another tab deleted, because that tab may undo the deletion. */
  let lastSaved = openModsOf(store.getState(), []);
  let isFromOtherTab = false;
  const put = (mod: UserMod) => (library.put(mod) ? unsaved.delete(mod.id) : unsaved.add(mod.id));
  store.subscribe((state, before) => {
    if (!isFromOtherTab) {
      const old = new Map(before.mods.map((mod) => [mod.id, mod]));
      for (const mod of state.mods) {
        const was = old.get(mod.id);
        if (!was || !isSame(was, mod)) put(mod);
        old.delete(mod.id);
      }
      for (const id of old.keys()) library.remove(id);
    }
    lastSaved = openModsOf(state, isFromOtherTab ? lastSaved.enabled : []);
    stored.save(lastSaved);
  });
  const applyFromOtherTab = (change: (state: ModsState) => Partial<ModList>) => {
    isFromOtherTab = true;
    store.setState(change);
    isFromOtherTab = false;
  };
  const takeLibraryMod = (taken: LibraryMod) => {
    const here = store.getState().mods.find(({ id }) => id === taken.id);
    if (here && isSame(here, taken)) return;
    const enabled = here?.enabled ?? lastSaved.enabled.includes(taken.id);
    applyFromOtherTab(({ mods, active }) => ({
      mods: here
        ? mods.map((mod) => (mod === here ? { ...mod, ...taken } : mod))
        : [...mods, { ...taken, enabled }],
      active: active ?? taken.id,
    }));
  };
  library.watch((id, mod) => {
    unsaved.delete(id);
    if (mod) takeLibraryMod(mod);
    else applyFromOtherTab(({ mods, active }) => without(mods, active, id));
  });
  library.watchWaking(() => {
    for (const mod of library.load()) if (!unsaved.has(mod.id)) takeLibraryMod(mod);
  });
}

/** Whether two mods have equal names, sources and exports: the parts that a user can change and all tabs share. */
function isSame(one: LibraryMod, other: LibraryMod): boolean {
  return one.name === other.name && one.source === other.source && one.entry === other.entry;
}

function openModsOf({ mods, active }: ModList, enabledBefore: readonly string[]): StoredTabMods {
  const order = mods.map(({ id }) => id);
  const here = new Set(order);
  const enabled = mods.filter((mod) => mod.enabled).map(({ id }) => id);
  return { order, enabled: [...enabled, ...enabledBefore.filter((id) => !here.has(id))], active };
}

/** The list without a mod. If that mod was open, its neighbour is opened. */
function without(mods: readonly UserMod[], active: string | null, id: string): ModList {
  const at = mods.findIndex((mod) => mod.id === id);
  if (at < 0) return { mods, active };
  const rest = mods.toSpliced(at, 1);
  return { mods: rest, active: active === id ? (rest[Math.min(at, rest.length - 1)]?.id ?? null) : active };
}

function freeName(name: string, mods: readonly UserMod[]): string {
  const taken = new Set(mods.map((mod) => mod.name));
  if (!taken.has(name)) return name;
  const base = name.replace(/-\d+$/, "");
  let number = 2;
  while (taken.has(`${base}-${number}`)) number += 1;
  return `${base}-${number}`;
}

function moved(mods: readonly UserMod[], id: string, to: number): readonly UserMod[] {
  const mod = mods.find((candidate) => candidate.id === id);
  if (!mod) return mods;
  const rest = mods.filter((candidate) => candidate.id !== id);
  return rest.toSpliced(Math.max(0, Math.min(rest.length, to)), 0, mod);
}

function arranged(mods: readonly UserMod[], ids: readonly string[]): readonly UserMod[] {
  const named = ids.flatMap((id) => mods.find((mod) => mod.id === id) ?? []);
  return [...mods.filter(({ id }) => !ids.includes(id)), ...named];
}

export function parseTabMods(value: unknown): StoredTabMods | null {
  const fields = asRecord(value);
  if (!fields) return null;
  // A tab may know mods that another tab deleted, so each list may have twice as many ids as there can be mods.
  const ids = (list: unknown) =>
    Array.isArray(list) ? list.filter((id) => typeof id === "string").slice(0, 2 * editorLimits.mods) : [];
  return { order: ids(fields.order), enabled: ids(fields.enabled), active: asString(fields.active) };
}
