/**
 * A token of the comparison, with marks for how it came into the output, whether the other run has it, and how much its
 * probabilities differ.
 */
import { kindLabels } from "../../../core/trace/model/kind-labels.ts";
import { steeringLabel } from "../../../core/trace/model/steered-labels.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { quote, tokenRow } from "../../../core/trace/model/trace-view.ts";
import { formatProbability } from "../../ui/format.ts";
import { cellsOf } from "../ribbon/ribbon-cells.ts";
import { renderCellWord } from "../ribbon/ribbon-chunk.tsx";
import { numberAbove } from "./compare-marks.ts";
import { type CompareCell, differenceLook, formatPercentagePoints } from "./compare-rows.ts";

interface CompareTokenProps {
  readonly id: string;
  /** Name of the run: A or B. */
  readonly letter: string;
  readonly trace: TraceModel;
  readonly cell: CompareCell;
  /** Whether the other run lacks the word, or a part of it. */
  readonly isInChangedWord: boolean;
  readonly isCursor: boolean;
  /** The probability in B minus that in A; null if the difference is not shown at this token. */
  readonly difference: number | null;
}

export function CompareToken({
  id,
  letter,
  trace,
  cell,
  isInChangedWord,
  isCursor,
  difference,
}: CompareTokenProps) {
  const [drawn] = cellsOf(trace, cell.index, cell.index + 1);
  if (!drawn) return null;
  const look = differenceLook(difference);
  const classes = ["cell", `cell-${drawn.mark}`, `compare-${cell.kind}`];
  if (drawn.first) classes.push("cell-first");
  if (drawn.last) classes.push("cell-last");
  if (drawn.isSteered) classes.push("cell-steered");
  if (look !== null) classes.push(`odds-${look}`);
  if (isInChangedWord) classes.push("compare-word-changed");
  if (isCursor) classes.push("cell-cursor");
  const label = labelOf(letter, trace, cell, difference);
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active option
    <span
      role="option"
      id={id}
      data-column={cell.column}
      aria-selected={isCursor}
      aria-label={label}
      title={label}
      className={classes.join(" ")}
    >
      {drawn.lead !== "" && <span className="lead">{drawn.lead.slice(0, 80)}</span>}
      <span
        className="word"
        data-difference={
          look !== null && difference !== null
            ? numberAbove(difference, trace.tokens.text[cell.index] ?? "")
            : undefined
        }
      >
        {renderCellWord(drawn)}
      </span>
    </span>
  );
}

const standing = {
  same: "the same in both",
  respelled: "the same text in both, as different tokens",
  changed: "only here",
} as const;

function labelOf(
  letter: string,
  trace: TraceModel,
  { index, kind }: CompareCell,
  difference: number | null,
): string {
  const row = tokenRow(trace, index);
  const parts = [`${letter}, token ${index + 1}`, quote(row.text), kindLabels[row.kind], standing[kind]];
  if (row.steered) parts.push(steeringLabel(trace, row.steered));
  if (row.probabilityBefore !== null) parts.push(formatProbability(row.probabilityBefore));
  if (difference !== null)
    parts.push(`${formatPercentagePoints(difference)} percentage points in B compared with A`);
  return parts.join(", ");
}
