/**
 * The mods of this browser, which all tabs share. Each mod is an entry of its own in storage: writing one mod never overwrites
 * another, and a damaged entry leaves the other entries readable. Each tab is told at once when another tab writes.
 */
import { formatCount } from "../../../core/base/number-text.ts";
import type { DamagedEntry } from "./damage-store.ts";
import { editorLimits } from "./editor-limits.ts";
import { cleanModName } from "./mod-name.ts";
import type { RequiredModelKind } from "./model-kind.ts";
import { asChoice, asRecord, asString } from "./persist.ts";
import { storageKeysOf } from "./set-aside.ts";
import type { StorageTroubleReporter } from "./storage-trouble.ts";

export interface LibraryMod {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  /** The kind of model for which the mod is made; null: any model. */
  readonly needs: RequiredModelKind | null;
  /** Name of the export of its file that runs; null: the default export. */
  readonly entry: string | null;
}

export interface ModLibrary {
  /** The readable mods, at most as many as the editor takes. Further mods stay in storage unchanged. */
  load(): readonly LibraryMod[];
  /** Saves a mod and returns whether the browser accepted it. */
  put(mod: LibraryMod): boolean;
  remove(id: string): void;
  /** Calls `onChange` for each mod that another tab writes; `mod` is null if the other tab deleted it. */
  watch(onChange: (id: string, mod: LibraryMod | null) => void): void;
  /** Calls `onWake` when this tab may have slept while other tabs wrote. */
  watchWaking(onWake: () => void): void;
}

const prefix = "midtoken.mod.v2.";

/** The window, which has the events `storage`, `pageshow` and `focus`. */
type Events = Pick<EventTarget, "addEventListener">;

export function createModLibrary(
  storage: Storage,
  trouble: StorageTroubleReporter,
  events: Events,
): ModLibrary {
  const report = trouble.writer();
  return {
    load: () => readAll(storage).mods,
    put: ({ id, name, source, needs, entry }) =>
      report(() => storage.setItem(prefix + id, JSON.stringify({ name, source, needs, entry }))),
    remove: (id) => storage.removeItem(prefix + id),
    watch(onChange) {
      events.addEventListener("storage", (event) => {
        const { key, newValue, storageArea } = event as StorageEvent;
        if (storageArea !== storage || !key?.startsWith(prefix)) return;
        const id = key.slice(prefix.length);
        const mod = parseLibraryMod(id, newValue);
        if (mod || newValue === null) onChange(id, mod);
      });
    },
    watchWaking(onWake) {
      for (const name of ["pageshow", "focus"]) events.addEventListener(name, onWake);
    },
  };
}

/** Ids of all mods in storage, also of those that cannot be read. */
export function findStoredModIds(storage: Storage): readonly string[] {
  return storageKeysOf(storage)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length));
}

/** The mods in storage that the page cannot use. `onRemoved`: called after one was deleted. */
export function damagedMods(storage: Storage, onRemoved: () => void): readonly DamagedEntry[] {
  return readAll(storage).others.map(({ id, why }) => ({
    id: prefix + id,
    label: "Mod",
    why,
    read: async () =>
      `${JSON.stringify({ storageKey: prefix + id, why, text: storage.getItem(prefix + id) })}\n`,
    async remove() {
      storage.removeItem(prefix + id);
      onRemoved();
    },
  }));
}

function readAll(storage: Storage) {
  const mods: LibraryMod[] = [];
  const others: { readonly id: string; readonly why: string }[] = [];
  for (const id of findStoredModIds(storage)) {
    const mod = parseLibraryMod(id, storage.getItem(prefix + id));
    if (!mod) others.push({ id, why: "A mod saved in this browser cannot be read." });
    else if (mods.length < editorLimits.mods) mods.push(mod);
    else
      others.push({
        id,
        why: `A mod was not loaded, because the limit is ${formatCount(editorLimits.mods)} mods.`,
      });
  }
  return { mods, others };
}

function parseLibraryMod(id: string, text: string | null): LibraryMod | null {
  try {
    const fields = asRecord(JSON.parse(text ?? "null"));
    const name = cleanModName(asString(fields?.name) ?? "");
    const source = asString(fields?.source);
    const needs = asChoice(fields?.needs, ["instruct"]);
    return name && source !== null ? { id, name, source, needs, entry: asString(fields?.entry) } : null;
  } catch {
    return null;
  }
}
