/** Finds out which marks the drawn words of a comparison have, so that its legend explains those and no others. Pure. */
import type { Comparison, Side } from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { cellsOf } from "../ribbon/ribbon-cells.ts";
import {
  alignedTokenProbabilities,
  type CompareCell,
  type CompareRow,
  cellsInRow,
  changedWordCellIndices,
  differenceLook,
  formatPercentagePoints,
} from "./compare-rows.ts";

export interface CompareMarks {
  /** A word of both runs is drawn pale. */
  readonly pale: boolean;
  /** A word is more likely in B; less likely in B. */
  readonly more: boolean;
  readonly less: boolean;
  /** A word is too short for the number above it and has only the sign. */
  readonly signOnly: boolean;
}

/** Words of at least this many characters are as wide as the number above them. */
const widthOfNumber = 3;

/** Above a short word, only the sign fits: the number is in the word's label and below the text. */
export function numberAbove(difference: number, text: string): string {
  if (text.trim().length >= widthOfNumber) return formatPercentagePoints(difference);
  return difference > 0 ? "+" : "−";
}

/** The difference of probability that is drawn at a cell of a row: once in each column, on the right; else null. */
export function differenceAtCell(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
  side: Side,
  cell: CompareCell,
  previous: CompareCell | undefined,
): number | null {
  if (side === "left" || previous?.column === cell.column) return null;
  return alignedTokenProbabilities(comparison, models, cell.column)?.difference ?? null;
}

/** Rows that are folded have no marks. */
export function compareMarksOf(
  comparison: Comparison,
  models: Readonly<Record<Side, TraceModel>>,
  rows: readonly CompareRow[],
): CompareMarks {
  const marks = { pale: false, more: false, less: false, signOnly: false };
  const drawn = rows.filter(({ type }) => type === "text");
  for (const side of ["left", "right"] as const) {
    const trace = models[side];
    for (const row of drawn) {
      const cells = cellsInRow(comparison, row, side);
      const changed = changedWordCellIndices(cells, trace.tokens.text);
      cells.forEach((cell, at) => {
        const difference = differenceAtCell(comparison, models, side, cell, cells[at - 1]);
        if (difference === null || differenceLook(difference) === null) {
          marks.pale ||= !changed.has(at) && isPlain(trace, cell.index);
          return;
        }
        marks.more ||= difference > 0;
        marks.less ||= difference < 0;
        marks.signOnly ||= numberAbove(difference, trace.tokens.text[cell.index] ?? "").length === 1;
      });
    }
  }
  return marks;
}

function isPlain(trace: TraceModel, index: number): boolean {
  return cellsOf(trace, index, index + 1)[0]?.mark === "plain";
}
