/**
 * Saves a store's value in the browser under a versioned key, twice: for this tab, and for the next new tab, which begins with the
 * value that any tab saved last. So each of two tabs has its own value, finds it again after a reload, and never overwrites the
 * value of the other tab. Each value is parsed when it is read. The storages' guard sets an unreadable text aside; without a guard
 * the text stays, and nothing is written over it. A full or forbidden storage is reported once and never thrown.
 */
import { isRecord } from "../../../core/base/record.ts";
import { errorName, type StorageTroubleReporter } from "./storage-trouble.ts";

export interface StoredReadResult<Value> {
  /** The parsed value; null if nothing of the text can be used. */
  readonly value: Value | null;
  /** A sentence that says why parts of the text cannot be used; null if all of it can. */
  readonly why: string | null;
}

/**
 * The playground's handling of texts that it cannot use. The view of a link has no guard, because it would load the
 * guard's code in vain.
 */
export interface UnusableTextHandling {
  read<Value>(
    storageKey: string,
    text: string,
    parse: (value: unknown) => Value | null,
  ): StoredReadResult<Value>;
  /** Returns false if the browser has no room for it. */
  setAside(browser: Storage, storageKey: string, text: string, why: string): boolean;
  /** A sentence about a text that stays where it is, because there is no room to set it aside. */
  noRoom(why: string): string;
  /** Why the editor does not take these settings, in a sentence that begins with `whose`; null if it takes them. */
  settingsProblem(settings: UnboundedTextSettings, whose: string): string | null;
  /** @throws RefusedValueError for settings from storage that the editor does not take. */
  checkSettings(settings: UnboundedTextSettings): void;
}

/** The settings whose length a user or a file decides. */
export interface UnboundedTextSettings {
  readonly stop: readonly string[];
  readonly bannedStrings?: readonly string[];
  readonly answer: { readonly schema: string; readonly tools: string; readonly toolChoice: string };
}

/** The browser's storages for the page: `localStorage` and `sessionStorage`. */
export interface Storages {
  readonly browser: Storage;
  readonly tab: Storage;
  readonly guard?: UnusableTextHandling;
}

export interface StoredValue<Value> {
  /** The saved value, or null if there is none or it cannot be read. */
  load(): Value | null;
  save(value: Value): void;
}

/**
 * A place to save a value under `key`. `parse` returns null for a value of an unknown form, and throws RefusedValueError for a value
 * that the page does not take.
 */
export function openStoredValue<Value>(
  { browser, tab, guard }: Storages,
  key: string,
  parse: (value: unknown) => Value | null,
  trouble: StorageTroubleReporter,
): StoredValue<Value> {
  const report = trouble.writer();
  const plainReader: Pick<UnusableTextHandling, "read" | "setAside"> = {
    read: readPlainly,
    setAside: () => false,
  };
  const { read: readText, setAside } = guard ?? plainReader;
  /** True once the browser holds a text that can be neither read nor set aside: the text stays, and nothing is written over it. */
  let isBlocked = false;
  const read = (storage: Storage): Value | null => {
    let text: string | null;
    try {
      text = storage.getItem(key);
    } catch (cause) {
      trouble.say(
        `The browser’s storage could not be read (${errorName(cause)}). Reload the page to try again.`,
      );
      return null;
    }
    if (text === null || text === "null") return null;
    const { value, why } = readText(key, text, parse);
    if (why !== null && !moveAside(storage, text, why, value === null)) {
      isBlocked = true;
      if (guard) trouble.say(guard.noRoom(why));
    }
    return value;
  };
  const moveAside = (storage: Storage, text: string, why: string, isUseless: boolean): boolean => {
    // The old text is removed first, because a nearly full storage has no room for both.
    if (isUseless) storage.removeItem(key);
    const isAside = setAside(browser, key, text, why);
    if (isUseless && !isAside) storage.setItem(key, text);
    return isAside;
  };
  let lastLength = 0;
  const write = (value: Value) => {
    const text = JSON.stringify(value);
    lastLength = text.length;
    report(() => {
      tab.setItem(key, text);
      browser.setItem(key, text);
    });
  };
  const writeSoon = createDelay(write);
  return {
    load: () => read(tab) ?? read(browser),
    save(value) {
      if (!isBlocked) (lastLength < longText ? write : writeSoon)(value);
    },
  };
}

/** A text with more characters is not written after every key, because writing takes longer than typing. */
const longText = 50_000;
const delayMs = 400;

/** Writes the latest value after a short pause, and before the user leaves the page. */
function createDelay<Value>(write: (value: Value) => void): (value: Value) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waiting: (() => void) | null = null;
  const flush = () => {
    clearTimeout(timer);
    waiting?.();
    waiting = null;
  };
  return (value) => {
    waiting = () => write(value);
    clearTimeout(timer);
    timer = setTimeout(flush, delayMs);
    globalThis.addEventListener?.("pagehide", flush);
  };
}

function readPlainly<Value>(_storageKey: string, text: string, parse: (value: unknown) => Value | null) {
  try {
    const value = parse(JSON.parse(text));
    return { value, why: value === null ? "" : null };
  } catch {
    return { value: null, why: "" };
  }
}

/**
 * Whether a storage has room for so many more characters. Browsers do not tell, so the function writes them. True for a storage that
 * the user forbade: it holds nothing that could be lost.
 */
export function storageHasRoom(storage: Storage, characters: number): boolean {
  const key = "midtoken.room";
  try {
    storage.setItem(key, " ".repeat(characters));
    storage.removeItem(key);
    return true;
  } catch (cause) {
    // The second name is Firefox's.
    return !["QuotaExceededError", "NS_ERROR_DOM_QUOTA_REACHED"].includes(errorName(cause));
  }
}

/** `value` as a record of unknowns, or null. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return isRecord(value) ? value : null;
}

export function asNumber(value: unknown, least: number, most: number): number | null {
  return typeof value === "number" && value >= least && value <= most ? value : null;
}

export function asString(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** One of `choices`, or null. */
export function asChoice<Choice extends string>(value: unknown, choices: readonly Choice[]): Choice | null {
  return choices.find((choice) => choice === value) ?? null;
}
