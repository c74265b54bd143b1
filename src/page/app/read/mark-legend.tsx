/** Explains the marks in the text: all of them, or those of one run. */
import { type CountedMark, markLabels, sameMarkLabel } from "../../../view/timeline/mark-labels.ts";
import { markMeanings } from "./mark-meanings.ts";
import "./mark-legend.css";

export type LegendMark = CountedMark | "same";

const rows = [...markLabels, { mark: "same", word: sameMarkLabel }] as const;

export const legendMarks: readonly LegendMark[] = rows.map(({ mark }) => mark);

interface MarkLegendProps {
  readonly className: string;
  /** Which marks are named. */
  readonly has: (mark: LegendMark) => boolean;
}

export function MarkLegend({ className, has }: MarkLegendProps) {
  return (
    <dl className={className} aria-label="How words are marked">
      {rows
        .filter(({ mark }) => has(mark))
        .map(({ mark, word }) => (
          <div key={mark}>
            <dt>
              <span className={`summary-mark summary-${mark}`}>{word}</span>
            </dt>
            <dd>{markMeanings[mark]}</dd>
          </div>
        ))}
    </dl>
  );
}
