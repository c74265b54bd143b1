/** Columns of bytes → values. Nothing in the bytes is trusted. */
import { TraceError } from "../trace-error.ts";
import type { ColumnIo } from "./column-io.ts";
import { numberKinds, placeOfRank, unfold } from "./column-writer.ts";
import type { ColumnKey } from "./sections.ts";

/**
 * What unpacking may still cost. Charged are: bytes unpacked, values read from a missing column, and texts that the columns
 * hold once and point to again.
 */
export interface UnpackBudget {
  left: number;
}

/** @throws TraceError when the budget is used up. */
export function spend(budget: UnpackBudget, amount: number): void {
  budget.left -= amount;
  if (!(amount >= 0 && budget.left >= 0)) {
    throw new TraceError(
      "The trace unpacks to more than Midtoken opens at its length: it is damaged, or made to do harm. Ask who sent it for a shorter run, or for its file.",
    );
  }
}

export interface ColumnReader extends ColumnIo {
  /** @throws TraceError when a column was not read to its end. */
  finish(): void;
}

const damaged = (column: ColumnKey, what: string): TraceError =>
  new TraceError(`The trace is damaged: column ${column} ${what}.`);

/**
 * Reads columns. A column that is missing reads as zeros without end, and each zero is charged to `budget`.
 * @throws TraceError, from every method, for a column that ends too early or holds an impossible value.
 */
export function createColumnReader(
  version: number,
  columns: ReadonlyMap<ColumnKey, Uint8Array>,
  budget: UnpackBudget,
): ColumnReader {
  const places = new Map<ColumnKey, number>();
  const texts = new Map<ColumnKey, string>();
  const byte = (column: ColumnKey): number => {
    const bytes = columns.get(column);
    if (!bytes) {
      spend(budget, 1);
      return 0;
    }
    const place = places.get(column) ?? 0;
    places.set(column, place + 1);
    const value = bytes[place];
    if (value === undefined) throw damaged(column, "ends too early");
    return value;
  };
  const unsigned = (column: ColumnKey): number => {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const part = byte(column);
      value += (part & 127) * scale;
      if (part < 128) return value;
    }
    throw damaged(column, "holds a number that is too large");
  };
  const exact = (column: ColumnKey, kind: number): number => {
    const size = kind === numberKinds.float32 ? 4 : 8;
    const view = new DataView(new ArrayBuffer(8));
    for (let place = 0; place < size; place += 1) view.setUint8(place, byte(column));
    return size === 4 ? view.getFloat32(0, true) : view.getFloat64(0, true);
  };
  const textOf = (column: ColumnKey): string => {
    let text = texts.get(column);
    if (text === undefined) {
      text = decodeText(column, columns.get(column) ?? new Uint8Array());
      texts.set(column, text);
    }
    return text;
  };
  return {
    version,
    whole(column, _value, guess) {
      const value = unsigned(column);
      return guess === undefined ? value : guess + unfold(value);
    },
    number(column, _value, grid, guess = 0) {
      const kind = unsigned(column);
      if (kind === numberKinds.float32 || kind === numberKinds.float64) return exact(column, kind);
      if (kind === numberKinds.guess) return guess;
      const place = (grid?.placeOf(guess) ?? guess) + unfold(kind - numberKinds.firstPlace);
      if (!grid) return place;
      if (place < 0 || place > grid.last) throw damaged(column, "holds a number beyond its range");
      return grid.numberAt(place);
    },
    text(lengths, characters) {
      const length = unsigned(lengths);
      if (length === 0) return "";
      const start = places.get(characters) ?? 0;
      const text = textOf(characters);
      if (start + length > text.length) throw damaged(characters, "ends too early");
      places.set(characters, start + length);
      const part = text.slice(start, start + length);
      if (/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(part))
        throw damaged(characters, "is cut inside a character");
      return part;
    },
    choice(column, _value, options, guess) {
      const place = placeOfRank(unsigned(column), guess === undefined ? 0 : options.indexOf(guess));
      const chosen = options[place];
      if (chosen === undefined) throw damaged(column, "holds an unknown choice");
      return chosen;
    },
    spend: (amount) => spend(budget, amount),
    finish() {
      for (const [column, bytes] of columns) {
        const size = column.endsWith(".text") ? textOf(column).length : bytes.length;
        if ((places.get(column) ?? 0) !== size) throw damaged(column, "holds more than the records need");
      }
    },
  };
}

function decodeText(column: ColumnKey, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new TraceError(`The trace is damaged: column ${column} is not UTF-8.`, { cause });
  }
}
