/** The tracks with their controls: by token or by time, zoom, and the same content as text. */
import { memo, useCallback } from "react";
import type { Selection } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { SegmentedControl } from "../../ui/segmented.tsx";
import { type AxisView, wholeAxisView, zoomed } from "../axis-view.ts";
import { TimeByPartTable } from "./parts-table.tsx";
import { axisLimits } from "./track-axis.ts";
import { Tracks } from "./tracks.tsx";
import type { TracksView } from "./tracks-view.ts";
import "../../ui/empty-state.css";
import "./tracks-panel.css";

interface TracksPanelProps {
  readonly trace: TraceModel;
  readonly version: number;
  readonly running: boolean;
  readonly selection: Selection | null;
  readonly shown: TracksView;
  readonly onShow: (shown: TracksView) => void;
  readonly onSelect: (selection: Selection) => void;
}

const zoomStep = 2;

export const TracksPanel = memo(function TracksPanel(props: TracksPanelProps) {
  const { trace, version, running, selection, shown, onShow, onSelect } = props;
  const timed = !trace.leftOut.has("timings");
  const axis = timed ? shown.axis : "tokens";
  const onView = useCallback((view: AxisView | null) => onShow({ axis, view }), [onShow, axis]);
  if (trace.records.length === 0)
    return <p className="inspector-empty">The time of the model and the mods for each word appears here.</p>;
  const limits = axisLimits(trace, axis, running);
  const view = shown.view ?? wholeAxisView(limits);
  const zoom = (factor: number) => {
    const next = zoomed(view, factor, (view.from + view.to) / 2, limits);
    onShow({ axis, view: next.to - next.from >= wholeAxisView(limits).to ? null : next });
  };
  return (
    <div className="tracks-panel">
      <div className="tracks-tools">
        <SegmentedControl
          label="Axis"
          value={axis}
          options={[
            { value: "tokens", label: "By token" },
            ...(timed ? [{ value: "time" as const, label: "By time" }] : []),
          ]}
          onChange={(next) => onShow({ axis: next, view: null })}
        />
        <IconButton
          icon="minus"
          label="Zoom out"
          disabled={shown.view === null}
          onClick={() => zoom(zoomStep)}
        />
        <IconButton icon="plus" label="Zoom in" onClick={() => zoom(1 / zoomStep)} />
        <Button weight="quiet" disabled={shown.view === null} onClick={() => onShow({ axis, view: null })}>
          Whole run
        </Button>
        <span className="tracks-hint">Drag to select. Ctrl + scroll to zoom.</span>
      </div>
      <Tracks
        trace={trace}
        version={version}
        running={running}
        axis={axis}
        selection={selection}
        onSelect={onSelect}
        view={shown.view}
        onView={onView}
      />
      <TimeByPartTable trace={trace} version={version} selection={selection} onSelect={onSelect} />
    </div>
  );
});
