/** Tells screen readers the progress of the run and why it ended. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { runEndSentence } from "../../../view/timeline/end-labels.ts";
import { authorshipOf } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { tokensAndRemovedText } from "../../../view/timeline/run-metrics.ts";
import type { RunState } from "../store/run-store.ts";
import { type PauseLabelsComponent, type RunStatusFields, statusSentence } from "./run-status.ts";

interface RunAnnouncerProps {
  readonly run: StoreApi<RunState>;
  readonly PauseLabels: PauseLabelsComponent | undefined;
}

/** Most UTF-16 units of an error that are announced. */
const longestError = 500;

function spokenSentence(standing: RunStatusFields): string {
  const { status, trace, failure } = standing;
  if (status !== "finished" && status !== "failed") return statusSentence(standing);
  const error = failure ?? trace.finished?.error?.message;
  if (error) return showInvisibleCharacters(error, longestError);
  return trace.finished && !standing.interrupted ? runEndSentence(trace.finished) : statusSentence(standing);
}

/** Announces at most once in two seconds. */
export function RunAnnouncer({ run, PauseLabels }: RunAnnouncerProps) {
  const [said, setSaid] = useState("");
  const status = useStore(run, (state) => state.status);
  const compiling = useStore(run, (state) => state.compiling);
  const pausedAt = useStore(run, (state) => state.pausedAt);
  const trace = useStore(run, (state) => state.trace);
  const isOpening = useStore(run, (state) => state.opening !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a long compilation is told at once
  useEffect(() => {
    const tell = () => {
      const state = run.getState();
      const count = tokensAndRemovedText(authorshipOf(state.trace));
      const sentence = spokenSentence(state);
      setSaid(count !== "" && status !== "empty" ? `${sentence} ${count}.` : sentence);
    };
    tell();
    if (status !== "running") return;
    const timer = setInterval(tell, 2000);
    return () => clearInterval(timer);
  }, [status, compiling, pausedAt, isOpening, run]);
  return (
    <output className="visually-hidden" aria-live="polite">
      {pausedAt && PauseLabels ? <PauseLabels pause={pausedAt} trace={trace} /> : said}
    </output>
  );
}
