/** Ways to damage bytes, all driven by one seeded source of randomness. */
import { runToEnd } from "../../base/resumable-work.ts";
import { crc32, createByteReader, joined, pushVarint } from "../codec/bytes.ts";
import { readingContainer } from "../codec/container.ts";
import { mixingDecoder } from "../codec/mixing-coder.ts";
import { packings } from "../codec/packing.ts";
import { type ColumnKey, columnKeys, sectionNames, sections } from "../codec/sections.ts";
import { TRACE_VERSION } from "../format/format.ts";

/** Draws from seeded randomness. */
export interface Dice {
  /** A uniform number in [0, 1). */
  readonly random: () => number;
  /** A whole number from 0 to `count - 1`; 0 if `count` is 0. */
  upTo(count: number): number;
  pick<Type>(values: readonly Type[]): Type;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

export function createDice(random: () => number): Dice {
  const upTo = (count: number) => Math.floor(random() * count);
  return {
    random,
    upTo,
    pick<Type>(values: readonly Type[]): Type {
      if (values.length === 0) throw new Error("There is nothing to pick from.");
      return values[upTo(values.length)] as Type;
    },
    bytes: (length) => Uint8Array.from({ length }, () => upTo(256)),
  };
}

/** The same bytes with a valid checksum. */
export function withValidChecksum(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const body = bytes.subarray(0, Math.max(bytes.length - 4, 0));
  const result = new Uint8Array(body.length + 4);
  result.set(body);
  new DataView(result.buffer).setUint32(body.length, crc32(body), true);
  return result;
}

export function withFlippedBits(bytes: Uint8Array, flips: number, dice: Dice): Uint8Array<ArrayBuffer> {
  const result = Uint8Array.from(bytes);
  if (result.length === 0) return result;
  for (let flip = 0; flip < flips; flip += 1) {
    const place = dice.upTo(result.length);
    result[place] = (result[place] ?? 0) ^ (1 << dice.upTo(8));
  }
  return result;
}

/** The beginning of one file and the end of another. */
export function spliced(one: Uint8Array, other: Uint8Array, dice: Dice): Uint8Array<ArrayBuffer> {
  return joined([one.subarray(0, dice.upTo(one.length)), other.subarray(dice.upTo(other.length))]);
}

export function truncated(bytes: Uint8Array, dice: Dice): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes.subarray(0, dice.upTo(bytes.length)));
}

/** The largest valid varints, and some that are too large. */
const extremes: readonly (readonly number[])[] = [
  [255, 255, 255, 255, 127],
  [255, 255, 255, 255, 15],
  [255, 255, 255, 255, 255, 255],
  [255, 255, 127],
  [128, 128, 128, 128, 0],
  [0],
];

/** The bytes with one place overwritten by an extreme number. */
export function withExtreme(bytes: Uint8Array, dice: Dice, place = dice.upTo(bytes.length)) {
  return joined([bytes.subarray(0, place), Uint8Array.from(dice.pick(extremes)), bytes.subarray(place + 1)]);
}

/** The places of a trace file's structural bytes: layout, version, and the head of each section. */
export function structuralPlaces(file: Uint8Array): readonly number[] {
  const places = [0, 1];
  const reader = createByteReader(file.subarray(2, file.length - 4));
  const from = (start: number) => {
    for (let place = start; place < reader.place; place += 1) places.push(place + 2);
  };
  for (;;) {
    const start = reader.place;
    const id = reader.varint();
    if (id !== 0) {
      reader.byte();
      for (let left = reader.varint(); left > 0; left -= 1) reader.varint();
    }
    const length = id === 0 ? 0 : reader.varint();
    from(start);
    if (id === 0) return places;
    reader.take(length);
  }
}

export type Columns = ReadonlyMap<ColumnKey, Uint8Array>;

/** The columns of a valid trace file. */
export function columnsOfFile(file: Uint8Array): Columns {
  const columns = runToEnd(readingContainer({ bytes: file, mixing: mixingDecoder }, { left: 1e9 }));
  return new Map([...columns].map(([key, pieces]) => [key, joined(pieces)]));
}

/**
 * Writes the columns as a trace file without packing: packing would take most of the time, and would hide damage of the columns.
 */
export function fileOfColumns(columns: Columns): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [Uint8Array.from([1, TRACE_VERSION])];
  for (const name of sectionNames) {
    const present = columnKeys(name).map((key) => columns.get(key) ?? new Uint8Array());
    const length = present.reduce((sum, each) => sum + each.length, 0);
    const head = [sections[name].id, packings.none, present.length];
    for (const each of [...present, { length }]) pushVarint(head, each.length);
    parts.push(Uint8Array.from(head), ...present);
  }
  return withValidChecksum(joined([...parts, new Uint8Array(5)]));
}

/** Damage inside the columns, with a valid checksum: every section unpacks, but the records are wrong. */
export function fileWithDamagedColumns(sound: Columns, dice: Dice): Uint8Array<ArrayBuffer> {
  const columns = new Map(sound);
  for (let count = 1 + dice.upTo(3); count > 0; count -= 1) {
    const [key, bytes] = dice.pick([...columns]);
    const change = dice.pick([
      () => withFlippedBits(bytes, 1 + dice.upTo(4), dice),
      () => bytes.slice(0, dice.upTo(bytes.length + 1)),
      () => spliced(bytes, dice.pick([...columns])[1], dice),
      () => joined([dice.bytes(dice.upTo(12)), bytes]),
      () => withExtreme(bytes, dice),
      () => bytes.map((byte) => (dice.random() < 0.05 ? dice.pick([0, 1, 127, 128, 255]) : byte)),
    ]);
    columns.set(key, change());
  }
  return fileOfColumns(columns);
}
