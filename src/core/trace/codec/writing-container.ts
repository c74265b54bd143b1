/** Writes columns as the bytes that `container.ts` describes and reads. */
import { type ResumableWork, scaleProgress } from "../../base/resumable-work.ts";
import { TRACE_VERSION } from "../format/format.ts";
import { crc32, pushVarint } from "./bytes.ts";
import { packing, type TextPacker } from "./pack.ts";
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

/** The number of bytes that a section takes. */
export interface SectionSize {
  readonly name: SectionName | "frame";
  readonly bytes: number;
}

export interface WrittenContainer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly sizes: readonly SectionSize[];
}

/**
 * Sections with texts that people wrote: mods and prompts. The model's text would also shrink by a quarter, but it is longer, and
 * opening a link would take half as long again.
 */
const mixedSections: ReadonlySet<SectionName> = new Set<SectionName>(["mods", "prompt"]);

/** A column of zeros is not written, since the reader returns zeros for a missing column. */
function isBlank(key: ColumnKey, bytes: Uint8Array): boolean {
  return bytes.length === 0 || (!key.endsWith(".text") && bytes.every((byte) => byte === 0));
}

/** In steps: writes the container. @param mixing the encoder of short texts, for a link; null for a file. */
export function* writingContainer(
  columns: ReadonlyMap<ColumnKey, Uint8Array>,
  mixing: TextPacker | null = null,
): ResumableWork<WrittenContainer> {
  const parts: Uint8Array[] = [Uint8Array.from([layoutVersion, TRACE_VERSION])];
  const sizes: SectionSize[] = [];
  for (const [place, name] of sectionNames.entries()) {
    const present = columnKeys(name).map((key) => {
      const bytes = columns.get(key) ?? new Uint8Array();
      return isBlank(key, bytes) ? new Uint8Array() : bytes;
    });
    while (present.at(-1)?.length === 0) present.pop();
    if (present.length === 0) continue;
    const packed = yield* scaleProgress(
      packing(present, mixedSections.has(name) ? mixing : null),
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
