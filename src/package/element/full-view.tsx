/** The complete timeline: the overview above the text, and the panels with explanations below it. Each panel is fetched when it is opened. */
import { useState } from "react";
import type { EventsView } from "../../view/timeline/events/events-view.ts";
import { Overview } from "../../view/timeline/overview/overview.tsx";
import { panelViews } from "../../view/timeline/panel-views.tsx";
import { runPanels } from "../../view/timeline/run-panels.ts";
import { useTracksView } from "../../view/timeline/tracks/use-tracks-view.ts";
import { Button } from "../../view/ui/button.tsx";
import { lazyPart } from "../../view/ui/lazy-part.tsx";
import { Splitter } from "../../view/ui/splitter.tsx";
import { Tabs } from "../../view/ui/tabs.tsx";
import { TextView } from "./text-view.tsx";
import type { RunViewProps } from "./view-props.ts";
import "../../view/ui/base-panels.css";
import "./full-view.css";

const EventsTable = lazyPart({
  part: "The list of events",
  load: () => import("../../view/timeline/events/events-table.tsx"),
  component: "EventsTable",
});

export function FullView(run: RunViewProps) {
  const { state, trace, running, followed, panel, onSelect, onChange } = run;
  const [textShare, setTextShare] = useState(50);
  const tracks = useTracksView(trace, running);
  return (
    <>
      <div part="overview" className="timeline-overview">
        <Overview
          trace={trace}
          running={running}
          selection={state.selection}
          onSelect={onSelect}
          version={followed}
          shown={panel === "tracks" ? tracks.tokens : null}
          onShow={tracks.onCentre}
        />
      </div>
      <div className="timeline-split">
        <div className="timeline-above" style={{ flexBasis: `${textShare}%` }}>
          <TextView {...run} tools={<TextTools run={run} />} />
        </div>
        <Splitter
          orientation="horizontal"
          label="Height of the text pane"
          value={textShare}
          min={20}
          max={80}
          onChange={setTextShare}
        />
        <div className="timeline-below" part="panels">
          <Tabs
            label="Panels"
            name="panel"
            tabs={runPanels}
            active={panel}
            onSelect={(next) => onChange({ panel: next })}
          />
          <div
            role="tabpanel"
            id={`panel-${panel}`}
            aria-labelledby={`panel-tab-${panel}`}
            className="timeline-panel"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
            tabIndex={0}
          >
            <PanelView run={run} tracks={tracks} />
          </div>
        </div>
      </div>
    </>
  );
}

function TextTools({ run: { trace, shade, fold, onChange } }: { run: RunViewProps }) {
  return (
    <div className="timeline-tools">
      <Button
        weight="quiet"
        aria-pressed={shade}
        title="Shade words by how little the model expected them"
        onClick={() => onChange({ shade: !shade })}
      >
        Shade by surprisal
      </Button>
      <Button
        weight="quiet"
        aria-pressed={fold}
        disabled={trace.spans.length === 0}
        title="Hide removed text"
        onClick={() => onChange({ fold: !fold })}
      >
        Fold removed text
      </Button>
    </div>
  );
}

interface PanelViewProps {
  readonly run: RunViewProps;
  readonly tracks: ReturnType<typeof useTracksView>;
}

function PanelView({ run: { state, trace, running, followed, panel, onSelect }, tracks }: PanelViewProps) {
  const [eventsView, setEventsView] = useState<EventsView | null>(null);
  const read = { trace, selection: state.selection, version: followed };
  return panelViews[panel]({
    read,
    running,
    tracks,
    onSelect,
    onOpenSource: null,
    onBranch: null,
    drawEvents: () => (
      <EventsTable
        {...read}
        onSelect={onSelect}
        view={eventsView}
        savedFilters={null}
        onView={setEventsView}
        onOpenSource={null}
      />
    ),
  });
}
