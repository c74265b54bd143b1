/** The component of each panel below the text. The code of a panel is fetched when the panel is first shown. */
import type { ReactNode } from "react";
import type { Selection } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { waitForFirstPaint } from "../ui/first-paint.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import type { RunPanel } from "./run-panels.ts";
import type { OpenSource } from "./step/call-entry.ts";
import type { BranchFromToken } from "./step/step-inspector.tsx";
import type { useTracksView } from "./tracks/use-tracks-view.ts";

/** A run, with everything that a panel needs to show it and act on it. */
export interface PanelProps {
  readonly read: {
    readonly trace: TraceModel;
    readonly version: number;
    readonly selection: Selection | null;
  };
  readonly running: boolean;
  readonly tracks: Pick<ReturnType<typeof useTracksView>, "shown" | "onShow">;
  readonly onOpenSource: OpenSource | null;
  readonly onBranch: BranchFromToken | null;
  /** Actions at the selection, shown in its step. */
  readonly goOn?: ReactNode;
  readonly onSelect: (selection: Selection) => void;
  /** Draws the list of events. The page passes a function, which also adds the saved filters. */
  readonly drawEvents: () => ReactNode;
}

const StepInspector = lazyPart({
  part: "The step inspector",
  async load() {
    // The text is drawn first.
    await waitForFirstPaint();
    return import("./step/step-inspector.tsx");
  },
  component: "StepInspector",
});
const TracksPanel = lazyPart({
  part: "The tracks",
  load: () => import("./tracks/tracks-panel.tsx"),
  component: "TracksPanel",
});
const ChartsPanel = lazyPart({
  part: "The charts",
  load: () => import("./charts/charts-panel.tsx"),
  component: "ChartsPanel",
});
const TranscriptPanel = lazyPart({
  part: "The transcript",
  load: () => import("./transcript-panel.tsx"),
  component: "TranscriptPanel",
});

export const panelViews: Readonly<Record<RunPanel, (props: PanelProps) => ReactNode>> = {
  step: ({ read, onOpenSource, onBranch, goOn }) => (
    <StepInspector {...read} onOpenSource={onOpenSource} onBranch={onBranch} goOn={goOn} />
  ),
  tracks: ({ read, running, tracks, onSelect }) => (
    <TracksPanel
      {...read}
      running={running}
      shown={tracks.shown}
      onShow={tracks.onShow}
      onSelect={onSelect}
    />
  ),
  charts: ({ read, running, onSelect }) => <ChartsPanel {...read} running={running} onSelect={onSelect} />,
  events: ({ drawEvents }) => drawEvents(),
  transcript: ({ read }) => <TranscriptPanel {...read} />,
};
