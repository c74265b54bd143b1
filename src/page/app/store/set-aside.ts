/**
 * Stored texts that the page cannot use, because they are damaged or too large. Each whole text moves to a key of its own,
 * where no new value overwrites it, until the user saves it as a file or deletes it.
 */
const prefix = "midtoken.aside.v1.";

/** The page's name for the data under each key. */
const labels: Readonly<Record<string, string>> = {
  "midtoken.conversation.v1": "Prompt",
  "midtoken.settings.v1": "Settings",
  "midtoken.desk.v2": "Order of the mods",
  "midtoken.model.v1": "Chosen model",
  "midtoken.breakpoints.v1": "Breakpoints",
  "midtoken.shown-run.v1": "Run on the page",
  "midtoken.vector-draft.v1": "Vector texts",
  "midtoken.event-filters.v1": "Event filters",
};

export interface SetAsideText {
  /** Name under which the text is set aside. */
  readonly key: string;
  /** Name under which the text was stored before. */
  readonly storageKey: string;
  readonly label: string;
  /** Why the page cannot use it, as a sentence. */
  readonly why: string;
  readonly text: string;
}

const listeners = new Set<() => void>();

/** Calls `listener` whenever something is set aside, until the returned function is called. */
export function onTextSetAside(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns false if the browser has no room for it. A text that is set aside already is not set aside twice. */
export function setTextAside(browser: Storage, storageKey: string, text: string, why: string): boolean {
  const isThere = listSetAsideTexts(browser).some(
    (each) => each.storageKey === storageKey && each.text === text,
  );
  if (isThere) return true;
  try {
    const time = Date.now().toString(36);
    const taken = storageKeysOf(browser).filter((key) => key.startsWith(`${prefix}${time}`)).length;
    browser.setItem(`${prefix}${time}-${taken}.${storageKey}`, `${why}\n${text}`);
  } catch {
    return false;
  }
  for (const listener of [...listeners]) listener();
  return true;
}

/** The oldest first. */
export function listSetAsideTexts(browser: Storage): readonly SetAsideText[] {
  return storageKeysOf(browser)
    .filter((key) => key.startsWith(prefix))
    .toSorted()
    .map((key) => {
      const entry = browser.getItem(key) ?? "";
      const end = entry.indexOf("\n");
      const storageKey = key.slice(key.indexOf(".", prefix.length) + 1);
      return {
        key,
        storageKey,
        label: labels[storageKey] ?? storageKey,
        why: entry.slice(0, Math.max(0, end)),
        text: entry.slice(end + 1),
      };
    });
}

export const labelOfStorageKey = (storageKey: string) => labels[storageKey] ?? storageKey;

/** All names of a storage. Empty if the user forbade it. */
export function storageKeysOf(storage: Storage): readonly string[] {
  try {
    return Array.from({ length: storage.length }, (_, place) => storage.key(place)).filter(
      (key) => key !== null,
    );
  } catch {
    return [];
  }
}
