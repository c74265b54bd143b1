/** Stored texts that the page cannot use. The page lists them, and they stay until the user saves or deletes them. */
import { createStore, type StoreApi } from "zustand/vanilla";
import { listSetAsideTexts, onTextSetAside } from "./set-aside.ts";

export interface DamagedEntry {
  readonly id: string;
  /** For example "Prompt", "Mod" or "Run". */
  readonly label: string;
  /** Why the page cannot use it, as a sentence. */
  readonly why: string;
  /** The stored bytes, as they are saved to a file. */
  read(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * The reporters of damaged entries: the storage of the stores, the list of mods, the list of vectors, the database of runs, and
 * runs saved in pieces.
 */
type Source = "stored" | "mods" | "vectors" | "runs" | "left";

export interface DamageState {
  readonly bySource: Readonly<Record<Source, readonly DamagedEntry[]>>;
  /** Whether the user closed the banner about these entries and no entry was added afterwards. */
  readonly isHidden: boolean;
  /** Replaces the entries of a source. */
  report(source: Source, entries: readonly DamagedEntry[]): void;
  hide(): void;
}

/** The key under which the browser stores the ids of the entries whose banner the user closed. */
const hiddenKey = "midtoken.damage-seen.v1";

export function createDamageStore(browser: Storage): StoreApi<DamageState> {
  const none = { stored: [], mods: [], vectors: [], runs: [], left: [] };
  const store = createStore<DamageState>()((set, get) => ({
    bySource: none,
    isHidden: false,
    report(source, entries) {
      const bySource = { ...get().bySource, [source]: entries };
      const hidden = new Set(hiddenIds(browser));
      set({ bySource, isHidden: damagedEntries({ bySource }).every(({ id }) => hidden.has(id)) });
    },
    hide() {
      set({ isHidden: true });
      const ids = damagedEntries(get()).map(({ id }) => id);
      try {
        browser.setItem(hiddenKey, ids.join("\n"));
      } catch {
        // The banner returns at the next visit.
      }
    },
  }));
  const readStored = () => store.getState().report("stored", storedEntries(browser, readStored));
  readStored();
  onTextSetAside(readStored);
  return store;
}

export const damagedEntries = ({ bySource }: Pick<DamageState, "bySource">) => Object.values(bySource).flat();

function storedEntries(browser: Storage, onRemoved: () => void): readonly DamagedEntry[] {
  return listSetAsideTexts(browser).map(({ key, storageKey, label, why, text }) => ({
    id: key,
    label,
    why,
    read: async () => `${JSON.stringify({ storageKey, why, text })}\n`,
    async remove() {
      browser.removeItem(key);
      onRemoved();
    },
  }));
}

function hiddenIds(browser: Storage): readonly string[] {
  try {
    return browser.getItem(hiddenKey)?.split("\n") ?? [];
  } catch {
    return [];
  }
}
