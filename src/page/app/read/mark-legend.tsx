/** Explains the marks in the text: all of them, or those of one run. */
import { type CountedMark, markLabels, sameMarkLabel } from "../../../view/timeline/mark-labels.ts";
import { markMeanings } from "./mark-meanings.ts";

export type LegendMark = CountedMark | "same";

const rows = [...markLabels, { mark: "same", word: sameMarkLabel }] as const;

interface MarkLegendProps {
  readonly className: string;
  /** Which marks are named. */
  readonly has: (mark: LegendMark) => boolean;
  /** 0 for a legend that scrolls aside on a narrow page and must take the focus. */
  readonly tabIndex?: 0;
}

export function MarkLegend({ has, ...list }: MarkLegendProps) {
  return (
    <dl {...list} aria-label="How words are marked">
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
