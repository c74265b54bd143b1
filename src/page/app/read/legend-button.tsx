/** Opens the legend of a run's marks, beside the text that has them. */
import { useCallback, useMemo } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { authorshipOf, shouldHideSameMarks } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { liveUpdateMs, useThrottledValue } from "../../../view/timeline/use-at-most-every.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { Popover } from "../../../view/ui/popover.tsx";
import type { RunState } from "../store/run-store.ts";
import { type LegendMark, legendMarks, MarkLegend } from "./mark-legend.tsx";
import "./legend-button.css";

export interface RunLegendProps {
  readonly run: StoreApi<RunState>;
}

export function LegendButton({ run }: RunLegendProps) {
  return (
    <Popover
      label="How words are marked"
      className="legend-button"
      trigger={
        <>
          Legend <Icon name="down" />
        </>
      }
    >
      {() => <RunLegend run={run} />}
    </Popover>
  );
}

function RunLegend({ run }: RunLegendProps) {
  return <MarkLegend className="mark-list" has={useLegendMarks(run)} />;
}

/** Tells which marks the text of a run has. Another function when the run has other marks. */
export function useLegendMarks(run: StoreApi<RunState>): (mark: LegendMark) => boolean {
  const trace = useStore(run, (state) => state.trace);
  const version = useThrottledValue(
    useStore(run, (state) => state.version),
    liveUpdateMs,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const found = useMemo(() => {
    const authorship = authorshipOf(trace);
    const { shares } = authorship;
    // No mod's share counts the words that token healing removed, but the text strikes them through.
    const removes = trace.spans.some(({ isQuestion }) => !isQuestion);
    const has = (mark: LegendMark) => {
      if (mark === "removed") return removes;
      // The text marks a word as `same` only while such words are few.
      return (mark !== "same" || !shouldHideSameMarks(authorship)) && shares.some((share) => share[mark] > 0);
    };
    return legendMarks.filter(has).join(" ");
  }, [trace, version]);
  return useCallback((mark) => found.split(" ").includes(mark), [found]);
}
