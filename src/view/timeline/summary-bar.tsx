/**
 * A sentence that says who chose the words of the whole run or of the selection. Each part of the sentence is a button that
 * shows a mark and selects the next word with this mark.
 */
import { memo, type ReactNode, useMemo } from "react";
import { isRange, rangeOf, type Selection, selectToken } from "../../core/trace/model/selection.ts";
import { noIndex } from "../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName } from "../../core/trace/model/trace-view.ts";
import { countWithNoun } from "../ui/format.ts";
import { PagedList } from "../ui/paged.tsx";
import { type CountedMark, markLabels, sameMarkLabel } from "./mark-labels.ts";
import { promptRewriters } from "./prompt-rewriters.ts";
import {
  type Authorship,
  adjustingMod,
  authorshipOf,
  nextMarkedToken,
  nextSteeredToken,
  shouldHideSameMarks,
  type TokenMark,
} from "./ribbon/ribbon-cells.ts";
import { describeOwnText, describeOwnTextIn } from "./summary-labels.ts";
import "./summary-bar.css";

interface SummaryBarProps {
  readonly trace: TraceModel;
  readonly version: number;
  /** The authorship of the whole run. */
  readonly authorship: Authorship;
  readonly selection: Selection | null;
  readonly onSelect: (selection: Selection) => void;
  /** Explains the marks; shown if a mod marked words. */
  readonly legend?: ReactNode;
}

export const SummaryBar = memo(function SummaryBar({
  trace,
  version,
  authorship: whole,
  selection,
  onSelect,
  legend,
}: SummaryBarProps) {
  const range = isRange(selection) ? rangeOf(selection) : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const counted = useMemo(
    () => (range ? authorshipOf(trace, range) : whole),
    [trace, version, whole, range?.first, range?.end],
  );
  const { shares } = counted;
  if (whole.output === 0 && whole.shares.length === 0) return <div className="summary" />;
  const { before, stressed, after } = range
    ? describeOwnTextIn(counted, range)
    : describeOwnText(counted, promptRewriters(trace));
  const next = (mark: CountedMark, mod: number) => {
    const from = selection?.cursor ?? -1;
    const wanted = (found: TokenMark, index: number) => found === mark && isBy(trace, index, found, mod);
    const index =
      mark === "steered" ? nextSteeredToken(trace, from, mod) : nextMarkedToken(trace, from, 1, wanted);
    if (index !== null) onSelect(selectToken(index));
  };
  return (
    <div className="summary">
      <p className="summary-own">
        {before}
        {stressed !== "" && <strong>{stressed}</strong>}
        {after}
      </p>
      {shares.length > 0 && legend}
      <div className="summary-mods">
        <PagedList count={shares.length} size={sharesShown} noun="mods">
          {(from, to) =>
            shares.slice(from, to).map((share) => (
              <p key={share.mod} className="summary-mod">
                <span className="summary-name" translate="no">
                  {modName(trace, share.mod)}
                </span>
                {markLabels.map(
                  ({ mark, word }) =>
                    share[mark] > 0 && (
                      <button
                        key={mark}
                        type="button"
                        className="summary-part"
                        title={`Select the next token ${word} by ${modName(trace, share.mod)}`}
                        onClick={() => next(mark, share.mod)}
                      >
                        <span className={`summary-mark summary-${mark}`}>{word}</span>{" "}
                        {countWithNoun(share[mark], "token")}
                      </button>
                    ),
                )}
                {share.same > 0 && (
                  <span
                    className="summary-adjusted-same"
                    title={`Steps at which ${modName(trace, share.mod)} adjusted the probabilities and the same word was chosen`}
                  >
                    <span className={shouldHideSameMarks(whole) ? undefined : "summary-mark summary-same"}>
                      {sameMarkLabel}
                    </span>{" "}
                    {countWithNoun(share.same, "time")}
                  </span>
                )}
              </p>
            ))
          }
        </PagedList>
      </div>
    </div>
  );
});

/** The most mods that are drawn at a time. */
const sharesShown = 8;

function isBy(trace: TraceModel, index: number, mark: TokenMark, mod: number): boolean {
  const { tokens, spans } = trace;
  if (mark === "removed" || mark === "asked") return spans[tokens.removedBy[index] ?? noIndex]?.mod === mod;
  return (mark === "adjusted" ? adjustingMod(trace, index) : tokens.mod[index]) === mod;
}
