/** Keeps a store's value in localStorage under a versioned key. Reads are parsed; a full or forbidden storage is reported once, never thrown. */

/** Called when the browser refuses to keep something. */
export type StorageTrouble = (message: string) => void;

export interface Kept<Value> {
  /** The value that was kept, or null where there is none or it cannot be read. */
  load(): Value | null;
  save(value: Value): void;
}

/** `parse` answers null for what it does not know. */
export function keep<Value>(
  storage: Storage,
  key: string,
  parse: (value: unknown) => Value | null,
  onTrouble: StorageTrouble,
): Kept<Value> {
  let reported = false;
  return {
    load() {
      try {
        const text = storage.getItem(key);
        return text === null ? null : parse(JSON.parse(text));
      } catch (cause) {
        onTrouble(`What was kept as ${key} could not be read (${String(cause)}); it starts anew.`);
        return null;
      }
    },
    save(value) {
      try {
        storage.setItem(key, JSON.stringify(value));
        reported = false;
      } catch (cause) {
        if (reported) return;
        reported = true;
        onTrouble(
          `This browser did not keep your latest changes (${nameOf(cause)}). They last until this tab is closed: download what you need.`,
        );
      }
    },
  };
}

function nameOf(cause: unknown): string {
  return cause instanceof Error ? cause.name : String(cause);
}

/** `value` as a record of unknowns, or null. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
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
