/**
 * Converts columns to bytes and back. Byte 0 is the layout (1: sections, as here), byte 1 the trace version. Then come the
 * sections, each with: number, packing, number of columns, unpacked length of each column, packed length, packed bytes. A 0 ends
 * the sections. The last four bytes are the CRC32 of all bytes before, lowest byte first. Lengths are varints.
 */
import { type ResumableWork, scaleProgress, type WaitingWork } from "../../base/resumable-work.ts";
import { newerMidtoken, newerVersion } from "../format/check-version.ts";
import { TRACE_VERSION } from "../format/format.ts";
import { TraceError } from "../format/trace-error.ts";
import { crc32, createByteReader } from "./bytes.ts";
import { spend, type UnpackBudget } from "./column-reader.ts";
import { type ColumnChunks, type Inflating, inflating, type TextUnpacker, unpacking } from "./packing.ts";
import {
  type ColumnKey,
  columnKeys,
  crcLength,
  endOfSections,
  layoutVersion,
  type SectionName,
  sectionNames,
  sections,
} from "./sections.ts";

/**
 * First bytes 1 to 15 are reserved for this layout and later ones. A file with a higher first byte is no trace; for example, a
 * text file begins with a higher byte.
 */
const lastLayout = 15;
const headLength = 2;
const mostColumns = 64;

const nameOf = new Map<number, SectionName>(sectionNames.map((name) => [sections[name].id, name]));

/**
 * The bytes of a container. The reader takes the bytes out of this object, since a generator holds its arguments as long as the
 * generator lives.
 */
export interface ContainerBytes {
  bytes: Uint8Array;
  /** Unpacks the short texts of a link. Files have no such texts. */
  readonly mixing?: TextUnpacker;
}

/**
 * In steps: the columns of all known sections; unknown sections are skipped.
 * @throws TraceError for damaged bytes, TraceVersionError for a trace from a newer Midtoken.
 */
export function readingContainer(
  source: ContainerBytes,
  budget: UnpackBudget,
  inflate?: typeof inflating,
): ResumableWork<Map<ColumnKey, ColumnChunks>>;
export function readingContainer(
  source: ContainerBytes,
  budget: UnpackBudget,
  inflate: Inflating | undefined,
): WaitingWork<Map<ColumnKey, ColumnChunks>>;
export function* readingContainer(
  source: ContainerBytes,
  budget: UnpackBudget,
  inflate: Inflating = inflating,
): WaitingWork<Map<ColumnKey, ColumnChunks>> {
  const body = yield* scaleProgress(checkingBody(source.bytes), 0, 0.2);
  source.bytes = new Uint8Array();
  const reader = createByteReader(body);
  const columns = new Map<ColumnKey, ColumnChunks>();
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
    const unpacked = yield* scaleProgress(
      unpacking({ packing: way, bytes: packed }, lengths, inflate, source.mixing ?? null),
      done(before),
      done(reader.place),
    );
    unpacked.forEach((column, place) => {
      const key = keys[place];
      if (key && column.length > 0) columns.set(key, column);
    });
  }
  return columns;
}

/** Bytes whose checksum is computed in one step. */
const checksumPiece = 1_048_576;

/** Checks the checksum and the two bytes of the header. @returns the bytes between header and checksum. */
function* checkingBody(bytes: Uint8Array): ResumableWork<Uint8Array> {
  const length = bytes.length - crcLength;
  const [first = 0, version = 0] = bytes;
  if (first < layoutVersion || first > lastLayout) {
    throw new TraceError("This is not a recorded run. Choose a .trace file.");
  }
  if (first !== layoutVersion) {
    throw newerMidtoken(
      `its file has layout ${first}, but this version of Midtoken reads layout ${layoutVersion}`,
    );
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
    throw new TraceError("The trace is damaged: its checksum is wrong. Copy the whole link or file again.");
  if (version > TRACE_VERSION) throw newerVersion(version);
  if (version < 1) throw new TraceError("The trace is damaged: it has no version.");
  return body.subarray(headLength);
}
