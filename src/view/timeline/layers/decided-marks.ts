/**
 * The marks that show in the text at which layer each word was decided: in bands of layers, narrow near the last layer, where
 * most words are decided. Pure.
 */
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { formatCount } from "../../ui/format.ts";
import { cellsPerChunk } from "../ribbon/ribbon-cells.ts";
import type { CellMark, TextMarks } from "../ribbon/text-marks.ts";
import { settledLayer } from "./step-layers.ts";

/** A band of layers, from `from` to `to`, both included. */
export interface LayerBand {
  readonly from: number;
  readonly to: number;
}

/** How far the first layer of each band is from the last layer of the model. One more band has all remaining layers. */
const bandEnds = [0, 1, 3, 7];

/**
 * Bands of layers, the last layers first: the first band is the last layer alone, and each further band has more layers. Models
 * with few layers have fewer bands.
 */
export function layerBandsOf(layerCount: number): readonly LayerBand[] {
  const last = layerCount - 1;
  const bands: LayerBand[] = [];
  for (let to = last, place = 0; to >= 0; place += 1) {
    const from = Math.max(0, last - (bandEnds[place] ?? last));
    bands.push({ from, to });
    to = from - 1;
  }
  return bands;
}

export function layerBandIndex(layer: number, layerCount: number): number {
  return layerBandsOf(layerCount).findIndex(({ from }) => layer >= from);
}

/**
 * The mark of a token: number of the band in which the model decided it; `put` if a mod placed it; `drawn` if another token
 * was more likely.
 */
export function decidedLayerMark(
  trace: TraceModel,
  index: number,
  lines: readonly TraceLayerSays[],
): CellMark {
  const count = lines.length;
  const settled = settledLayer(lines, trace.tokens.token[index] ?? -1);
  if (isPlacedByMod(trace, index))
    return markOf(trace, index, "put", "put here by a mod, so no layer decided it");
  if (settled === null) {
    const rank = lines.at(-1)?.token?.rank;
    const place = rank === undefined ? "" : ` at rank ${formatCount(rank + 1)}`;
    return markOf(trace, index, "drawn", `drawn${place}, although the last layer ranks another token first`);
  }
  const { says, ...mark } = markOf(
    trace,
    index,
    String(layerBandIndex(settled, count)),
    `decided at layer ${settled} (0 to ${count - 1})`,
  );
  return { ...mark, says: { ...says, "data-note": String(settled) } };
}

function markOf(trace: TraceModel, index: number, name: string, words: string): CellMark {
  const label = `${describeToken(trace, index)}, ${words}`;
  return { className: `decided-${name}`, says: { "aria-label": label, title: label } };
}

/** Whether a mod wrote the token, so that the model did not choose it. */
export function isPlacedByMod({ tokens }: TraceModel, index: number): boolean {
  return tokens.source[index] !== "sampled";
}

/** The first token of the chunk that a token belongs to. */
export const firstTokenOfChunk = (index: number): number => index - (index % cellsPerChunk);

/** The mark of a token; undefined if it has none. */
export function markAt(marks: TextMarks, index: number): CellMark | undefined {
  return marks.get(firstTokenOfChunk(index))?.get(index);
}

/** Adds a mark. Only its chunk becomes a new object, so that only this chunk is drawn again. */
export function withMark(marks: TextMarks, index: number, mark: CellMark): TextMarks {
  const start = firstTokenOfChunk(index);
  const chunk = new Map(marks.get(start));
  chunk.set(index, mark);
  return new Map(marks).set(start, chunk);
}
