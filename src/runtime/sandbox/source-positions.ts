/** Maps a position in the compiled text to the editor's text, and a guest's stack to a stack that an author can read. */
import type { CompiledModInfo } from "./compiled-mod.ts";
import { moduleOpening } from "./module-wrapper.ts";
import type { SourcePosition } from "./protocol.ts";

/** Generated column and source column, both from 0, of one segment in a line. */
type Segment = readonly [generated: number, source: number];

export interface PositionMap {
  /** The position in the editor's text; null if the compiled text does not have the line. */
  toSource(compiled: SourcePosition): SourcePosition | null;
  /** Keeps only the frames of the mod's file, with the editor's lines and columns. */
  stackToSource(stack: string): string;
}

export function createPositionMap({ label, mappings }: Omit<CompiledModInfo, "reads">): PositionMap {
  let lines: readonly (readonly Segment[])[] | null = null;
  const frame = new RegExp(`${label.replace(/[.\\-]/g, "\\$&")}:(\\d+):(\\d+)`);

  function toSource({ line, column }: SourcePosition): SourcePosition | null {
    lines ??= decodeMappings(mappings);
    const segments = lines[line - 1];
    if (segments === undefined) return null;
    const generated = column - 1 - (line === 1 ? moduleOpening.length : 0);
    return { line, column: sourceColumn(segments, generated) + 1 };
  }

  function stackToSource(stack: string): string {
    return stack
      .split("\n")
      .flatMap((text): string[] => {
        const [, line, column] = frame.exec(text) ?? [];
        const place = line === undefined ? null : toSource({ line: Number(line), column: Number(column) });
        return place === null ? [] : [text.replace(frame, `${label}:${place.line}:${place.column}`)];
      })
      .join("\n");
  }

  return { toSource, stackToSource };
}

/** The source column of the last segment that begins at or before a generated column. Segments are sorted. */
function sourceColumn(segments: readonly Segment[], generated: number): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((segments[middle]?.[0] ?? 0) <= generated) low = middle + 1;
    else high = middle;
  }
  return segments[low - 1]?.[1] ?? 0;
}

/** A source map's mappings. The compiler keeps lines, so only the columns are read. */
function decodeMappings(mappings: string): readonly (readonly Segment[])[] {
  let source = 0;
  return mappings.split(";").map((line) => {
    let generated = 0;
    return line
      .split(",")
      .filter((segment) => segment !== "")
      .map((segment): Segment => {
        const fields = decodeNumbers(segment);
        generated += fields[0] ?? 0;
        source += fields[3] ?? 0;
        return [generated, source];
      });
  });
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Base-64 variable-length numbers: a digit has five bits, and a sixth bit that says whether more digits follow; the lowest
 * bit is the sign.
 */
function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of text) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
