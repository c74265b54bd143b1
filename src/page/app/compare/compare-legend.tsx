/** Explains the marks that the compared texts have, and no others. */
import { useMemo } from "react";
import { type CompareMarks, compareMarksOf } from "../../../view/timeline/compare/compare-marks.ts";
import type { CompareRow } from "../../../view/timeline/compare/compare-rows.ts";
import type { ComparedRuns } from "../store/compare-state.ts";

interface CompareLegendProps {
  readonly compared: Pick<ComparedRuns, "comparison" | "left" | "right">;
  readonly rows: readonly CompareRow[];
}

export function CompareLegend({ compared: { comparison, left, right }, rows }: CompareLegendProps) {
  const marks = useMemo(
    () => compareMarksOf(comparison, { left, right }, rows),
    [comparison, left, right, rows],
  );
  return (
    <p className="compare-legend">
      {marks.pale && "Pale words are in both runs. "}
      {(marks.more || marks.less) && <Numbers marks={marks} />}
    </p>
  );
}

function Numbers({ marks: { more, less, signOnly } }: { marks: CompareMarks }) {
  return (
    <>
      A number above a word, in percentage points:{" "}
      {more && (
        <>
          <span className="compare-more">+33</span> more likely in B
        </>
      )}
      {more && less && ", "}
      {less && (
        <>
          <span className="compare-less">−33</span> less likely in B
        </>
      )}
      . {signOnly && "A short word has room only for + or −; select it to read the number. "}A word can have
      several tokens, so a number may be above only a part of the word.
    </>
  );
}
