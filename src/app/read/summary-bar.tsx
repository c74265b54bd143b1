/** One sentence on whose words these are; each part of it leads to the next such word, and is the key to its mark. */

import { useMemo } from "react";
import { none } from "../../trace/token-table.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { modName } from "../../trace/trace-view.ts";
import { formatCount, plural } from "../ui/format.ts";
import { authorshipOf, type Mark, nextMarked, type Share } from "./ribbon-cells.ts";
import "./summary-bar.css";

interface SummaryBarProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly selected: number | null;
  readonly onSelect: (index: number) => void;
}

const parts = [
  { mark: "forced", verb: "forced" },
  { mark: "steered", verb: "changed" },
  { mark: "removed", verb: "removed" },
  { mark: "reinjected", verb: "replaced" },
] as const satisfies readonly { mark: Mark; verb: string }[];

export function SummaryBar({ trace, version, selected, onSelect }: SummaryBarProps) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const { output, own, shares } = useMemo(() => authorshipOf(trace), [trace, version]);
  if (output === 0 && shares.length === 0) return <div className="summary" />;
  const next = (mark: Mark, mod: number) => {
    const wanted = (found: Mark, index: number) => found === mark && isBy(trace, index, mark, mod);
    const index = nextMarked(trace, selected ?? -1, 1, wanted);
    if (index !== null) onSelect(index);
  };
  return (
    <div className="summary">
      <p className="summary-own">
        {own === output ? (
          <>The model chose all {plural(output, "token")}.</>
        ) : (
          <>
            The model chose <strong>{formatCount(own)}</strong> of {plural(output, "token")}.
          </>
        )}
      </p>
      {shares.map((share) => (
        <p key={share.mod} className="summary-mod">
          <span className="summary-name">{modName(trace, share.mod)}</span>
          {parts.map(
            ({ mark, verb }) =>
              share[mark] > 0 && (
                <button
                  key={mark}
                  type="button"
                  className="summary-part"
                  title={`Next token ${verb} by ${modName(trace, share.mod)}`}
                  onClick={() => next(mark, share.mod)}
                >
                  <span className={`summary-mark summary-${mark}`}>{verb}</span> {formatCount(share[mark])}
                </button>
              ),
          )}
        </p>
      ))}
    </div>
  );
}

function isBy(trace: TraceModel, index: number, mark: Mark, mod: number): boolean {
  const { tokens, spans } = trace;
  if (mark === "removed") return spans[tokens.removedBy[index] ?? none]?.mod === mod;
  return mark === "steered" || tokens.mod[index] === mod;
}

/** Words changed in all, for the page's title and live region. */
export function changedWords(shares: readonly Share[]): number {
  return shares.reduce((sum, share) => sum + share.forced + share.steered + share.reinjected, 0);
}
