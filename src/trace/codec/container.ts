/**
 * Columns ↔ bytes. Byte 0 says how the rest is laid out (1: sections, as here), byte 1 the trace version.
 * Then sections, each: number, packing, number of columns, unpacked length of each, packed length, packed bytes;
 * a 0 ends them; CRC32 of all before it, lowest byte first. Lengths are varints.
 */
import { partOf, type Steps, type WaitingSteps } from "../../base/steps.ts";
import { TRACE_VERSION } from "../format.ts";
import { newerVersion } from "../migrate.ts";
import { TraceError, TraceVersionError } from "../trace-error.ts";
import { crc32, createByteReader, pushVarint } from "./bytes.ts";
import { spend, type UnpackBudget } from "./column-reader.ts";
import { type Column, type Inflating, inflating, packing, type TextCoder, unpacking } from "./packing.ts";
import { type ColumnKey, columnKeys, type SectionName, sectionNames, sections } from "./sections.ts";

const layout = 1;
/**
 * Bytes 1 to 15 are kept for this layout and later ones. A file whose first byte is higher is no trace; the first character
 * of a text, for example, is.
 */
const lastLayout = 15;
const endOfSections = 0;
const headLength = 2;
const crcLength = 4;
const mostColumns = 64;

/** How many of the bytes a section takes. */
export interface SectionSize {
  readonly name: SectionName | "frame";
  readonly bytes: number;
}

export interface Container {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sizes: readonly SectionSize[];
}

export interface VersionedColumns {
  readonly version: number;
  readonly columns: ReadonlyMap<ColumnKey, Column>;
}

/** A column of zeros is not written, since the reader returns zeros for a missing column. */
function isBlank(key: ColumnKey, bytes: Uint8Array): boolean {
  return bytes.length === 0 || (!key.endsWith(".text") && bytes.every((byte) => byte === 0));
}

/** In steps. @param mixing for a link. */
export function* writingContainer(
  columns: ReadonlyMap<ColumnKey, Uint8Array>,
  mixing: TextCoder | null = null,
): Steps<Container> {
  const parts: Uint8Array[] = [Uint8Array.from([layout, TRACE_VERSION])];
  const sizes: SectionSize[] = [];
  for (const [place, name] of sectionNames.entries()) {
    const present = columnKeys(name).map((key) => {
      const bytes = columns.get(key) ?? new Uint8Array();
      return isBlank(key, bytes) ? new Uint8Array() : bytes;
    });
    while (present.at(-1)?.length === 0) present.pop();
    if (present.length === 0) continue;
    const packed = yield* partOf(
      packing(present, mixing),
      place / sectionNames.length,
      (place + 1) / sectionNames.length,
    );
    const head = [sections[name].id, packed.packing, present.length];
    for (const { length } of present) pushVarint(head, length);
    pushVarint(head, packed.bytes.length);
    parts.push(Uint8Array.from(head), packed.bytes);
    sizes.push({ name, bytes: head.length + packed.bytes.length });
  }
  parts.push(Uint8Array.from([endOfSections]));
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const bytes = new Uint8Array(length + crcLength);
  let next = 0;
  for (const part of parts) {
    bytes.set(part, next);
    next += part.length;
  }
  new DataView(bytes.buffer).setUint32(length, crc32(bytes.subarray(0, length)), true);
  sizes.push({ name: "frame", bytes: bytes.length - sizes.reduce((sum, each) => sum + each.bytes, 0) });
  return { bytes, sizes };
}

const nameOf = new Map<number, SectionName>(sectionNames.map((name) => [sections[name].id, name]));

/**
 * The bytes of a container. They are taken out when they have been read once, since a generator keeps what it was given as long
 * as it is there itself.
 */
export interface Packed {
  bytes: Uint8Array;
  /** For those of a link. */
  readonly mixing?: TextCoder;
}

/**
 * Columns of the sections that this version knows; others are skipped. In steps.
 * @throws TraceError for damage, TraceVersionError for a trace from a newer Midtoken.
 */
export function readingContainer(
  source: Packed,
  budget: UnpackBudget,
  inflate?: typeof inflating,
): Steps<VersionedColumns>;
export function readingContainer(
  source: Packed,
  budget: UnpackBudget,
  inflate: Inflating | undefined,
): WaitingSteps<VersionedColumns>;
export function* readingContainer(
  source: Packed,
  budget: UnpackBudget,
  inflate: Inflating = inflating,
): WaitingSteps<VersionedColumns> {
  const { version, body } = yield* partOf(checkingBody(source.bytes), 0, 0.2);
  source.bytes = new Uint8Array();
  const reader = createByteReader(body);
  const columns = new Map<ColumnKey, Column>();
  const seen = new Set<number>();
  for (let id = reader.varint(); id !== endOfSections; id = reader.varint()) {
    if (seen.has(id)) throw new TraceError(`The trace is damaged: section ${id} comes twice.`);
    seen.add(id);
    const way = reader.byte();
    const count = reader.varint();
    if (count > mostColumns)
      throw new TraceError(`The trace is damaged: section ${id} has ${count} columns.`);
    const lengths = Array.from({ length: count }, () => reader.varint());
    const before = reader.place;
    const packed = reader.take(reader.varint());
    const name = nameOf.get(id);
    if (!name) continue;
    for (const length of lengths) spend(budget, length);
    const keys = columnKeys(name);
    const done = (place: number) => 0.2 + (0.8 * place) / body.length;
    const unpacked = yield* partOf(
      unpacking({ packing: way, bytes: packed }, lengths, inflate, source.mixing ?? null),
      done(before),
      done(reader.place),
    );
    unpacked.forEach((column, place) => {
      const key = keys[place];
      if (key && column.length > 0) columns.set(key, column);
    });
  }
  return { version, columns };
}

/** Bytes whose checksum is computed in one step. */
const checksumPiece = 1_048_576;

function* checkingBody(bytes: Uint8Array): Steps<{ readonly version: number; readonly body: Uint8Array }> {
  const length = bytes.length - crcLength;
  const [first = 0, version = 0] = bytes;
  if (first < layout || first > lastLayout) {
    throw new TraceError("This is not a recorded run. Share saves those, as files that end in .trace.");
  }
  if (first !== layout) {
    throw new TraceVersionError(`its file has layout ${first}, and this copy reads layout ${layout}`);
  }
  if (length < 3) throw new TraceError("The trace is damaged: it ends too early.");
  const body = bytes.subarray(0, length);
  const sum = new DataView(bytes.buffer, bytes.byteOffset).getUint32(length, true);
  let found = 0;
  for (let start = 0; start < length; start += checksumPiece) {
    found = crc32(body.subarray(start, start + checksumPiece), found);
    yield start / length;
  }
  if (found !== sum)
    throw new TraceError(
      "The trace is damaged: its checksum is wrong. Copy the link or the file again, whole.",
    );
  if (version > TRACE_VERSION) throw newerVersion(version);
  if (version < 1) throw new TraceError("The trace is damaged: it has no version.");
  return { version, body: body.subarray(headLength) };
}
