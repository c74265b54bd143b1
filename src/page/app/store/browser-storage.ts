/**
 * `localStorage` and `sessionStorage`. A browser that blocks cookies and site data throws as soon as a page names them. The
 * page then works in memory, and its settings and mods last until the tab is closed.
 */

/** The sentence about a page that works in memory. */
export const blockedStorageNotice =
  "This browser blocks site data for this page. Everything works, but nothing is saved once you close this tab. Allow site data for this address to save your mods, settings and runs.";

export interface BrowserStorages {
  /** Shared by all tabs. */
  readonly browser: Storage;
  readonly tab: Storage;
  /** True if the browser refuses one of the two storages: memory then replaces both. */
  readonly isBlocked: boolean;
}

let storages: BrowserStorages | null = null;

/** The same storages at every call. */
export function browserStorages(): BrowserStorages {
  storages ??= openStorages();
  return storages;
}

function openStorages(): BrowserStorages {
  try {
    const browser = globalThis.localStorage;
    const tab = globalThis.sessionStorage;
    browser.getItem("midtoken");
    tab.getItem("midtoken");
    return { browser, tab, isBlocked: false };
  } catch {
    return { browser: createPageMemoryStorage(), tab: createPageMemoryStorage(), isBlocked: true };
  }
}

/** The browser's locks; undefined on insecure pages, and in a browser that blocks site data and so refuses every lock. */
export function pageLocks(): LockManager | undefined {
  return browserStorages().isBlocked ? undefined : navigator.locks;
}

/** A `Storage` that lasts as long as the page. */
export function createPageMemoryStorage(): Storage {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (index) => [...values.keys()][index] ?? null,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
    clear: () => values.clear(),
  };
}
