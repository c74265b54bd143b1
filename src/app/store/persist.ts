/**
 * Keeps a store's value in the browser under a versioned key: once for the tab, and once for the next new tab, which
 * begins with what was saved last in any tab. So two tabs go their own ways, each keeps its own over a reload, and none
 * overwrites the other's. Reads are parsed; a full or forbidden storage is reported once, never thrown.
 */
import { isRecord } from "../../base/record.ts";

/** Where the page keeps things: `localStorage` and `sessionStorage`. */
export interface Storages {
  readonly browser: Storage;
  readonly tab: Storage;
}

/** Called when the browser refuses to keep something. */
export type StorageTrouble = (message: string) => void;

export interface Kept<Value> {
  /** The value that was kept, or null where there is none or it cannot be read. */
  load(): Value | null;
  save(value: Value): void;
}

/** `parse` answers null for what it does not know. */
export function keep<Value>(
  { browser, tab }: Storages,
  key: string,
  parse: (value: unknown) => Value | null,
  onTrouble: StorageTrouble,
): Kept<Value> {
  const report = troubleOf(onTrouble);
  const read = (storage: Storage) => {
    try {
      const text = storage.getItem(key);
      return text === null ? null : parse(JSON.parse(text));
    } catch (cause) {
      onTrouble(`What was kept as ${key} could not be read (${String(cause)}); it starts anew.`);
      return null;
    }
  };
  return {
    load: () => read(tab) ?? read(browser),
    save(value) {
      const text = JSON.stringify(value);
      report(() => {
        tab.setItem(key, text);
        browser.setItem(key, text);
      });
    },
  };
}

/** Runs what writes to storage and answers whether it could; trouble is told once, until writing works again. */
export function troubleOf(onTrouble: StorageTrouble): (write: () => void) => boolean {
  let isReported = false;
  return (write) => {
    try {
      write();
      isReported = false;
      return true;
    } catch (cause) {
      if (!isReported) {
        isReported = true;
        onTrouble(
          `This browser did not keep your latest changes (${nameOf(cause)}). They last until this tab is closed: download what you need.`,
        );
      }
      return false;
    }
  };
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : String(cause);
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
