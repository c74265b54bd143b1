/** The meaning of each mark that a run has: above the text of a link, and in the playground's menu. */
import { useMemo } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { authorshipOf, shouldHideSameMarks } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { liveUpdateMs, useThrottledValue } from "../../../view/timeline/use-at-most-every.ts";
import { type LegendMark, MarkLegend } from "../read/mark-legend.tsx";
import type { RunState } from "../store/run-store.ts";

interface LinkLegendProps {
  readonly run: StoreApi<RunState>;
  readonly className?: string;
}

export function LinkLegend({ run, className = "link-legend" }: LinkLegendProps) {
  const trace = useStore(run, (state) => state.trace);
  const version = useThrottledValue(
    useStore(run, (state) => state.version),
    liveUpdateMs,
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const authorship = useMemo(() => authorshipOf(trace), [trace, version]);
  const { shares } = authorship;
  // No mod's share counts the words that token healing removed, but the text strikes them through.
  const removes = trace.spans.some(({ isQuestion }) => !isQuestion);
  const has = (mark: LegendMark) => {
    if (mark === "removed") return removes;
    // The text marks a word as `same` only while such words are few.
    return (mark !== "same" || !shouldHideSameMarks(authorship)) && shares.some((share) => share[mark] > 0);
  };
  return <MarkLegend className={className} has={has} tabIndex={0} />;
}
