/**
 * Writes values into columns of bytes. A column holds values of one kind one after another, such as all token numbers of a run,
 * because similar bytes side by side pack into few bytes. `column-reader.ts` makes the same calls and gets the values back.
 * A whole number takes 7 bits per byte, lowest bits first; every byte but its last has 128 added. With a guess, the writer
 * stores the distance from the guess, and maps the distances 0, -1, 1, -2, 2 to 0, 1, 2, 3, 4 (`zigzagEncode`).
 *
 * Example: calls, and the bytes that each call adds to the column `c`.
 *   whole(c, 300)                     172 2               300 = 44 + 2 · 128, and 172 = 44 + 128
 *   whole(c, 42, 42)                  0                   the guess was right
 *   whole(c, 39, 43)                  7                   distance -4
 *   number(c, 20, undefined, 18)      7                   3 (`firstPlace`) + 4 for the distance 2
 *   number(c, 0.5)                    1 0 0 0 63          1: the four bytes of a float32 follow, which is exact here
 *   number(c, 0.1)                    2 and 8 bytes       2: the bytes of a float64 follow, since a float32 would round 0.1
 *   choice(c, "sampled", ["sampled", "forced", "reinjected"], "forced")
 *                                     1                   the guess "forced" has rank 0, so "sampled" has rank 1
 *   text(lengths, c, "é!")            195 169 33          the characters as UTF-8; the column `lengths` gets a 2
 *
 * Without a grid, `number` stores a distance only from a guess that is a whole number, because a distance such as 2.5 cannot be
 * stored.
 */

import { memoryOfText, traceMemoryBytes } from "../format/memory.ts";
import { toWellFormed } from "../parse/check.ts";
import type { ColumnIo } from "./column-io.ts";
import { numberEncodings, rankOfPlace, zigzagEncode } from "./folded.ts";
import type { RoundingGrid } from "./grids.ts";
import type { ColumnKey } from "./sections.ts";

export interface ColumnWriter extends ColumnIo {
  /** The spent budget that the bytes of the columns do not show: see `UnpackBudget`. */
  readonly spent: number;
  /** The charged memory: see `ColumnIo.hold`. */
  readonly held: number;
  /** Every column that has a value, with text in UTF-8. */
  columns(): ReadonlyMap<ColumnKey, Uint8Array>;
}

const scratch = new DataView(new ArrayBuffer(8));
const same = (one: number, other: number): boolean => Object.is(one, other);

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one function for each kind of value, over the same columns
export function createColumnWriter(): ColumnWriter {
  const bytes = new Map<ColumnKey, number[]>();
  const texts = new Map<ColumnKey, string[]>();
  let spent = 0;
  let held = 0;
  /** The memory of the characters in the columns made last. */
  let heldByTexts = 0;
  let entered = 0;
  const into = <Value>(map: Map<ColumnKey, Value[]>, column: ColumnKey): Value[] => {
    const values = map.get(column) ?? [];
    map.set(column, values);
    return values;
  };
  const given = <Type>(value: Type | undefined, column: ColumnKey): Type => {
    if (value === undefined) throw new TypeError(`No value for column ${column}.`);
    return value;
  };
  const unsigned = (column: ColumnKey, value: number): void => {
    const out = into(bytes, column);
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) out.push((rest % 128) + 128);
    out.push(rest);
  };
  const exact = (column: ColumnKey, value: number): void => {
    const isShort = same(Math.fround(value), value);
    if (isShort) scratch.setFloat32(0, value, true);
    else scratch.setFloat64(0, value, true);
    const out = into(bytes, column);
    out.push(isShort ? numberEncodings.float32 : numberEncodings.float64);
    for (let place = 0; place < (isShort ? 4 : 8); place += 1) out.push(scratch.getUint8(place));
  };
  return {
    whole(column, value, guess) {
      const whole = given(value, column);
      if (guess === undefined && whole < 0) throw new TypeError(`Column ${column} cannot hold ${whole}.`);
      unsigned(column, guess === undefined ? whole : zigzagEncode(whole - guess));
      return whole;
    },
    number(column, value, grid, guess = 0) {
      const number = given(value, column);
      const place = placeOnGrid(grid, number);
      // Three ways, the shortest first: as the guess, with all bits, or as the distance from the guess.
      if (same(number, guess)) unsigned(column, numberEncodings.guess);
      else if (place === null || (!grid && !isExactPlace(guess))) exact(column, number);
      else
        unsigned(column, zigzagEncode(place - (grid?.placeOf(guess) ?? guess)) + numberEncodings.firstPlace);
      return number;
    },
    float32(column, value) {
      const number = given(value, column);
      scratch.setFloat32(0, number, true);
      const out = into(bytes, column);
      for (let place = 0; place < 4; place += 1) out.push(scratch.getUint8(place));
      return number;
    },
    half(column, value) {
      const half = given(value, column);
      into(bytes, column).push(half & 255, half >> 8);
      return half;
    },
    text(lengths, characters, value) {
      const text = toWellFormed(given(value, characters));
      unsigned(lengths, text.length);
      // The length counts UTF-16 units, as JavaScript does, and not bytes.
      if (text.length > 0) held += traceMemoryBytes.text;
      into(texts, characters).push(text);
      return text;
    },
    choice(column, value, options, guess) {
      const chosen = given(value, column);
      const place = options.indexOf(chosen);
      if (place < 0) throw new TypeError(`${String(chosen)} is not among the choices of ${column}.`);
      unsigned(column, rankOfPlace(place, guess === undefined ? 0 : options.indexOf(guess)));
      return chosen;
    },
    spend(amount) {
      spent += amount;
    },
    hold(bytes) {
      held += bytes;
    },
    enter(entries, bytes = traceMemoryBytes.entry) {
      spent += entries;
      held += entries * bytes;
      entered += entries;
    },
    get entered() {
      return entered;
    },
    get spent() {
      return spent;
    },
    get held() {
      return held + heldByTexts;
    },
    columns() {
      heldByTexts = 0;
      const encoder = new TextEncoder();
      const all = new Map<ColumnKey, Uint8Array>();
      for (const [column, values] of bytes) all.set(column, Uint8Array.from(values));
      for (const [column, values] of texts) {
        const text = values.join("");
        const encoded = encoder.encode(text);
        heldByTexts += memoryOfText(text, encoded.length);
        all.set(column, encoded);
      }
      return all;
    },
  };
}

/**
 * The place of a number on its grid, or null if the number is not on the grid. Without a grid, a whole number is its own place.
 */
function placeOnGrid(grid: RoundingGrid | undefined, value: number): number | null {
  if (!grid) return isExactPlace(value) && !same(value, -0) ? value : null;
  const place = grid.placeOf(value);
  return same(grid.numberAt(place), value) ? place : null;
}

/** Whether distances from the number are exact. */
function isExactPlace(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 48;
}
