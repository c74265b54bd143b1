/** A line below the text with the status and the duration of the run. */
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { waitForFirstPaint } from "../../../view/ui/first-paint.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import type { RunState } from "../store/run-store.ts";
import { type PauseLabelsComponent, statusSentence } from "./run-status.ts";
import "./run-line.css";

/** Drawn after the text: a link is drawn without this line. */
const RunAnnouncer = lazyPart({
  part: "The announcements for screen readers",
  async load() {
    await waitForFirstPaint();
    return import("./run-announcer.tsx");
  },
  component: "RunAnnouncer",
});

const RunLineMetrics = lazyPart({
  part: "The run’s statistics",
  async load() {
    await waitForFirstPaint();
    return import("./run-line-metrics.tsx");
  },
  component: "RunLineMetrics",
});

interface RunLineProps {
  readonly run: StoreApi<RunState>;
  readonly PauseLabels: PauseLabelsComponent | undefined;
}

export function RunLine({ run, PauseLabels }: RunLineProps) {
  const state = useStore(run);
  const { trace, status, pausedAt } = state;
  return (
    <footer className="run-line">
      <p>
        {pausedAt && PauseLabels ? <PauseLabels pause={pausedAt} trace={trace} /> : statusSentence(state)}
      </p>
      <RunLineMetrics trace={trace} status={status} />
      <RunAnnouncer run={run} PauseLabels={PauseLabels} />
    </footer>
  );
}
