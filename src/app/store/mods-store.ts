/** The user's mods: source, order, on or off, which one is open; a deleted mod can be brought back. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { newId } from "./new-id.ts";
import { asRecord, asString, type Kept } from "./persist.ts";

export interface UserMod {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly enabled: boolean;
}

export interface Mods {
  readonly mods: readonly UserMod[];
  /** Id of the mod in the editor; null when there is none. */
  readonly active: string | null;
}

export interface ModsState extends Mods {
  add(name: string, source: string): UserMod;
  open(id: string): void;
  edit(id: string, source: string): void;
  rename(id: string, name: string): void;
  toggle(id: string): void;
  /** Switches those of the mods that are here on or off. */
  setEnabled(ids: readonly string[], enabled: boolean): void;
  /** Puts these mods in this order behind all others. */
  arrange(ids: readonly string[]): void;
  /** Moves a mod to a place in the order. */
  move(id: string, to: number): void;
  /** Answers with a function that undoes it. */
  remove(id: string): () => void;
}

export function createModsStore(kept: Kept<Mods>, initial: Mods): StoreApi<ModsState> {
  const store = createStore<ModsState>()((set, get) => {
    const update = (id: string, changes: Partial<UserMod>) =>
      set(({ mods }) => ({ mods: mods.map((mod) => (mod.id === id ? { ...mod, ...changes } : mod)) }));
    return {
      ...(kept.load() ?? initial),
      add(name, source) {
        const mod = { id: newId(), name: freeName(name, get().mods), source, enabled: true };
        set(({ mods }) => ({ mods: [...mods, mod], active: mod.id }));
        return mod;
      },
      open: (id) => set({ active: id }),
      edit: (id, source) => update(id, { source }),
      rename(id, name) {
        const others = get().mods.filter((mod) => mod.id !== id);
        const cleaned = cleanName(name);
        if (cleaned !== "") update(id, { name: freeName(cleaned, others) });
      },
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
        const mods = before.filter((mod) => mod.id !== id);
        const neighbour = mods[Math.min(at, mods.length - 1)]?.id ?? null;
        set(({ active }) => ({ mods, active: active === id ? neighbour : active }));
        return () => {
          if (get().mods.some((mod) => mod.id === id)) return;
          set((state) => ({ mods: state.mods.toSpliced(at, 0, removed), active: id }));
        };
      },
    };
  });
  store.subscribe(({ mods, active }) => kept.save({ mods, active }));
  return store;
}

/** A name as it stands in the model string: no slashes or spaces, at most 40 characters. */
export function cleanName(name: string): string {
  return name
    .trim()
    .replaceAll(/[\s/\\]+/g, "-")
    .slice(0, 40);
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

export function parseMods(value: unknown): Mods | null {
  const fields = asRecord(value);
  if (!fields || !Array.isArray(fields.mods)) return null;
  const mods = fields.mods.flatMap((entry: unknown) => {
    const mod = asRecord(entry);
    const id = asString(mod?.id);
    const name = asString(mod?.name);
    const source = asString(mod?.source);
    return id && name && source !== null ? [{ id, name, source, enabled: mod?.enabled === true }] : [];
  });
  const active = mods.some(({ id }) => id === fields.active)
    ? asString(fields.active)
    : (mods[0]?.id ?? null);
  return { mods, active };
}
