/** Reads values from columns of bytes. Nothing in the bytes is trusted. */
import { traceLimits } from "../format/limits.ts";
import { memoryOfText, traceMemoryBytes } from "../format/memory.ts";
import { TraceError } from "../format/trace-error.ts";
import type { ColumnIo } from "./column-io.ts";
import { numberEncodings, placeOfRank, zigzagDecode } from "./folded.ts";
import type { ColumnChunks } from "./packing.ts";
import type { ColumnKey } from "./sections.ts";

/**
 * The remaining budget of unpacking. It pays for unpacked bytes, for values read from a missing column, and for texts
 * that the columns hold once and point to again.
 */
export interface UnpackBudget {
  left: number;
}

/** Takes `amount` from the budget. @throws TraceError when the budget is used up. */
export function spend(budget: UnpackBudget, amount: number): void {
  budget.left -= amount;
  if (!(amount >= 0 && budget.left >= 0)) {
    throw new TraceError(
      "The trace unpacks to more data than Midtoken accepts: it is damaged or malicious. Ask the sender for the original .trace file.",
    );
  }
}

const tooMuchMemory = `The trace needs more memory than the ${traceLimits.memory / 1e6} MB that Midtoken allows. Ask the sender for a shorter run.`;

export interface ColumnReader extends ColumnIo {
  /** The charged memory: see `ColumnIo.hold`. */
  readonly held: number;
  /** @throws TraceError when a column was not read to its end. */
  finish(): void;
}

const damaged = (column: ColumnKey, what: string): TraceError =>
  new TraceError(`The trace is damaged: column ${column} ${what}.`);

/** The unread part of a column. */
interface Cursor {
  /** The part after `bytes`. Null for a missing column, which reads as endless zeros. */
  readonly later: ColumnChunks | null;
  bytes: Uint8Array;
  /** Place in `bytes`. */
  next: number;
}

/** The unread part of a text column. */
interface TextCursor {
  readonly cursor: Cursor;
  readonly decoder: TextDecoder;
  /** Decoded text that was not returned yet. */
  text: string;
  next: number;
  isEnded: boolean;
}

/** Bytes of text that are decoded at a time. */
const textPiece = 65_536;

const noBytes = new Uint8Array();

/** One view shared by all numbers: creating a view for each number would take longer than reading the number. */
const scratch = new DataView(new ArrayBuffer(8));

/**
 * Reads columns, and frees the bytes that it has read. A missing column reads as zeros without end, and each zero is charged to
 * `budget`.
 * @throws TraceError, from every method, if a column ends too early or holds an impossible value.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one function for each kind of value, over the same columns
export function createColumnReader(
  columns: ReadonlyMap<ColumnKey, ColumnChunks>,
  budget: UnpackBudget,
): ColumnReader {
  let held = 0;
  let entered = 0;
  const hold = (bytes: number): void => {
    held += bytes;
    if (held > traceLimits.memory) throw new TraceError(tooMuchMemory);
  };
  const cursors = new Map<ColumnKey, Cursor>();
  const texts = new Map<ColumnKey, TextCursor>();
  for (const [column, later] of columns) cursors.set(column, { later, bytes: noBytes, next: 0 });
  const cursorOf = (column: ColumnKey): Cursor => {
    let cursor = cursors.get(column);
    if (!cursor) {
      cursor = { later: null, bytes: noBytes, next: 0 };
      cursors.set(column, cursor);
    }
    return cursor;
  };
  const byte = (cursor: Cursor, column: ColumnKey): number => {
    for (;;) {
      const value = cursor.bytes[cursor.next];
      if (value !== undefined) {
        cursor.next += 1;
        return value;
      }
      if (cursor.later === null) {
        spend(budget, 1);
        return 0;
      }
      if (!toNextPiece(cursor)) throw damaged(column, "ends too early");
    }
  };
  const unsigned = (column: ColumnKey): number => {
    const cursor = cursorOf(column);
    const first = byte(cursor, column);
    if (first < 128) return first;
    let value = first & 127;
    for (let scale = 128; scale <= 2 ** 49; scale *= 128) {
      const part = byte(cursor, column);
      value += (part & 127) * scale;
      if (part < 128) return value;
    }
    throw damaged(column, "holds a number that is too large");
  };
  const exact = (column: ColumnKey, kind: number): number => {
    const cursor = cursorOf(column);
    const size = kind === numberEncodings.float32 ? 4 : 8;
    for (let place = 0; place < size; place += 1) scratch.setUint8(place, byte(cursor, column));
    return size === 4 ? scratch.getFloat32(0, true) : scratch.getFloat64(0, true);
  };
  const textOf = (column: ColumnKey): TextCursor => {
    let text = texts.get(column);
    if (!text) {
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      text = { cursor: cursorOf(column), decoder, text: "", next: 0, isEnded: false };
      texts.set(column, text);
    }
    return text;
  };
  /** Decodes the next chunk of text. Returns false if there is none. */
  const decodeMore = (text: TextCursor, column: ColumnKey): boolean => {
    if (text.isEnded) return false;
    const { cursor } = text;
    if (cursor.next === cursor.bytes.length) text.isEnded = !toNextPiece(cursor);
    const bytes = cursor.bytes.subarray(cursor.next, cursor.next + textPiece);
    cursor.next += bytes.length;
    const more = decode(column, text.decoder, bytes, !text.isEnded);
    hold(memoryOfText(more, bytes.length));
    text.text = text.text.slice(text.next) + more;
    text.next = 0;
    return true;
  };
  return {
    whole(column, _value, guess) {
      const value = unsigned(column);
      return guess === undefined ? value : guess + zigzagDecode(value);
    },
    number(column, _value, grid, guess = 0) {
      const kind = unsigned(column);
      if (kind === numberEncodings.float32 || kind === numberEncodings.float64) return exact(column, kind);
      if (kind === numberEncodings.guess) return guess;
      const place = (grid?.placeOf(guess) ?? guess) + zigzagDecode(kind - numberEncodings.firstPlace);
      if (!grid) return place;
      if (place < 0 || place > grid.last) throw damaged(column, "holds a number out of range");
      return grid.numberAt(place);
    },
    half(column) {
      const cursor = cursorOf(column);
      const low = byte(cursor, column);
      return low + 256 * byte(cursor, column);
    },
    float32: (column) => exact(column, numberEncodings.float32),
    text(lengths, characters) {
      const length = unsigned(lengths);
      if (length === 0) return "";
      const cursor = textOf(characters);
      while (cursor.text.length - cursor.next < length) {
        if (!decodeMore(cursor, characters)) throw damaged(characters, "ends too early");
      }
      const { text, next: start } = cursor;
      cursor.next = start + length;
      hold(traceMemoryBytes.text);
      if (isLowHalf(text.charCodeAt(start)) || isHighHalf(text.charCodeAt(start + length - 1)))
        throw damaged(characters, "splits a character");
      return text.slice(start, start + length);
    },
    choice(column, _value, options, guess) {
      const place = placeOfRank(unsigned(column), guess === undefined ? 0 : options.indexOf(guess));
      const chosen = options[place];
      if (chosen === undefined) throw damaged(column, "holds an unknown value");
      return chosen;
    },
    spend: (amount) => spend(budget, amount),
    hold,
    enter(entries, bytes = traceMemoryBytes.entry) {
      spend(budget, entries);
      hold(entries * bytes);
      entered += entries;
    },
    get entered() {
      return entered;
    },
    get held() {
      return held;
    },
    finish() {
      for (const [column, cursor] of cursors) {
        if (cursor.later === null) continue;
        const text = texts.get(column);
        const isRead =
          cursor.next === cursor.bytes.length &&
          cursor.later.length === 0 &&
          (!text || text.next === text.text.length);
        if (!isRead) throw damaged(column, "holds more than the records need");
        // At the end of the text, this call only checks that the last character is complete.
        if (text) decodeMore(text, column);
      }
    },
  };
}

/** Halves of a surrogate pair. */
const isHighHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
const isLowHalf = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

/** Frees the chunk that was read and goes to the next chunk. Returns false if there is none. */
function toNextPiece(cursor: Cursor): boolean {
  cursor.bytes = cursor.later?.shift() ?? noBytes;
  cursor.next = 0;
  return cursor.bytes.length > 0;
}

function decode(column: ColumnKey, decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (cause) {
    throw new TraceError(`The trace is damaged: column ${column} is not UTF-8.`, { cause });
  }
}
