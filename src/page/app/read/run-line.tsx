/** One quiet line below the text: how the run stands, and how long it took. */
import { type ComponentType, memo, useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { promptProgress } from "../../../core/trace/model/prompt-progress.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { visibleText } from "../../../core/trace/text/visible-text.ts";
import type { Pause } from "../../../package/api/session.ts";
import { endSentence } from "../../../view/timeline/end-labels.ts";
import { type Authorship, authorshipOf } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import { countOf, metricsOf } from "../../../view/timeline/run-metrics.ts";
import { formatCount } from "../../../view/ui/format.ts";
import type { RunState } from "../store/run-store.ts";
import "./run-line.css";

interface RunLineProps {
  readonly run: StoreApi<RunState>;
  /** The authorship of the whole run. */
  readonly authorship: Authorship;
  readonly PauseLabels: PauseLabels | undefined;
}

/** Says why and where a run is paused. */
export type PauseLabels = ComponentType<{ readonly pause: Pause; readonly trace: TraceModel }>;

export function RunLine({ run, authorship, PauseLabels }: RunLineProps) {
  const standing = useStore(run);
  const { trace, status, pausedAt } = standing;
  return (
    <footer className="run-line">
      {status === "running" && <PromptBar trace={trace} />}
      <p>
        {pausedAt && PauseLabels ? <PauseLabels pause={pausedAt} trace={trace} /> : statusSentence(standing)}
      </p>
      <Metrics trace={trace} authorship={authorship} status={status} />
      <LiveRegion run={run} PauseLabels={PauseLabels} />
    </footer>
  );
}

/** UTF-16 units of an error that a screen reader is told. */
const longestError = 500;

type RunStanding = Pick<
  RunState,
  "status" | "trace" | "interrupted" | "compiling" | "pausedAt" | "opening" | "caughtUp" | "failure"
>;

function statusSentence(standing: RunStanding): string {
  const { status, trace, interrupted, compiling, pausedAt, caughtUp } = standing;
  switch (status) {
    case "empty":
      return "";
    case "starting":
      return compiling === null ? "Starting …" : `Compiling ${compiling} …`;
    case "running":
      if (standing.opening) return "Opening the model’s layers …";
      if (trace.tokens.text.length > 0) return "Writing …";
      return caughtUp === null
        ? readingSentence(trace)
        : `Telling the changed mods what happened before: ${Math.round(caughtUp * 100)} %`;
    case "reading":
      return "Reading the record …";
    case "paused":
      return pausedAt ? "Paused." : "Pausing …";
    case "finished":
    case "failed":
      if (standing.failure !== null) return "Ended: the engine stopped.";
      if (interrupted) return "Interrupted: the page was left before it ended. Run again to have it whole.";
      return trace.finished ? endSentence(trace.finished) : "";
  }
}

function readingSentence(trace: TraceModel): string {
  const progress = promptProgress(trace);
  if (!progress || progress.read === 0) return "Reading the prompt …";
  return `Reading the prompt: ${formatCount(progress.read)} of ${formatCount(progress.total)} tokens`;
}

/** How much of a long prompt the model has read. */
function PromptBar({ trace }: { trace: TraceModel }) {
  const progress = promptProgress(trace);
  if (!progress || progress.read === 0) return null;
  return <progress aria-label="Prompt" max={progress.total} value={progress.read} />;
}

interface MetricsProps {
  readonly trace: TraceModel;
  readonly authorship: Authorship;
  /** The trace grows in place: with it come the times of a run that has ended. */
  readonly status: RunState["status"];
}

/** Drawn when the words are counted anew, and not at each token that comes. */
const Metrics = memo(function Metrics({ trace, authorship }: MetricsProps) {
  return <p className="run-figures">{metricsOf(trace, authorship)}</p>;
});

/** Tells screen readers how the run goes, at most once in two seconds. */
function LiveRegion({ run, PauseLabels }: Omit<RunLineProps, "authorship">) {
  const [said, setSaid] = useState("");
  const status = useStore(run, (state) => state.status);
  const compiling = useStore(run, (state) => state.compiling);
  const pausedAt = useStore(run, (state) => state.pausedAt);
  const trace = useStore(run, (state) => state.trace);
  const isOpening = useStore(run, (state) => state.opening !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a long compilation is told at once
  useEffect(() => {
    const tell = () => {
      const standing = run.getState();
      const { trace, failure } = standing;
      const count = countOf(authorshipOf(trace));
      const error = failure ?? trace.finished?.error?.message;
      const isOver = status === "finished" || status === "failed";
      const sentence = isOver && error ? visibleText(error, longestError) : statusSentence(standing);
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
