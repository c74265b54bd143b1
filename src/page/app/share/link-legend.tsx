/** Above the text of a link: what each mark that this run has means. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { markLabels } from "../../../view/timeline/mark-labels.ts";
import { authorshipOf } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { followedEveryMs, useAtMostEvery } from "../../../view/timeline/use-at-most-every.ts";
import { markMeanings } from "../read/mark-meanings.ts";
import type { RunState } from "../store/run-store.ts";

export function LinkLegend({ run }: { run: StoreApi<RunState> }) {
  const trace = useStore(run, (state) => state.trace);
  const version = useAtMostEvery(
    useStore(run, (state) => state.version),
    followedEveryMs,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const { shares } = useMemo(() => authorshipOf(trace), [trace, version]);
  // No mod's share counts the words that token healing removed, but the text strikes them through.
  const removes = trace.spans.some(({ isQuestion }) => !isQuestion);
  const found = markLabels.filter(({ mark }) =>
    mark === "removed" ? removes : shares.some((share) => share[mark] > 0),
  );
  return (
    // A list that scrolls aside on a narrow page must take the focus.
    <dl className="link-legend" aria-label="How words are marked" tabIndex={0}>
      {found.map(({ mark, word }) => (
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
