/**
 * The pane that shows a run: overview, text, and the panels that explain the run. Knows no engine and no editor: these come as
 * props, and a part without its prop is left out. Three pages show the pane. The playground passes everything. The page of a
 * link passes no `layers`, so it has no tab "Layers". A run in an HTML file also has no `page`, so it can save nothing.
 *
 * Example: a run has 206 records and 40 tokens; token 9 is selected, and the user presses Play. `usePlayedRun` returns the run
 * as it was at that token: 52 records and 10 tokens. The overview, the text, the authorship and the panels show only these,
 * until the playback moves on. Without a playback, `trace` is the whole run.
 *
 * - The trace grows in place, so only `version` says that it has changed. The text follows each `version`.
 * - `followed` is `version`, but while the run or its playback is in progress it changes at most four times a second. The
 *   other parts follow it, because they cost more to draw.
 * - `isShown` decides between the text and `empty`: a run without a first word is shown if it runs or has a request.
 */
import { type ComponentType, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import type { EventsView } from "../../../view/timeline/events/events-view.ts";
import { Overview } from "../../../view/timeline/overview/overview.tsx";
import { panelViews } from "../../../view/timeline/panel-views.tsx";
import { TokenRibbon } from "../../../view/timeline/ribbon/ribbon.tsx";
import { authorshipOf, shouldHideSameMarks } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import type { TextMarks } from "../../../view/timeline/ribbon/text-marks.ts";
import { useFoldedReasoning } from "../../../view/timeline/ribbon/use-folded-reasoning.tsx";
import { runPanels } from "../../../view/timeline/run-panels.ts";
import type { OpenSource } from "../../../view/timeline/step/call-entry.ts";
import type { BranchFromToken } from "../../../view/timeline/step/step-inspector.tsx";
import { useTracksView } from "../../../view/timeline/tracks/use-tracks-view.ts";
import { liveUpdateMs, useThrottledValue } from "../../../view/timeline/use-at-most-every.ts";
import { waitForFirstPaint } from "../../../view/ui/first-paint.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { Splitter } from "../../../view/ui/splitter.tsx";
import { Tabs } from "../../../view/ui/tabs.tsx";
import { usePrinting } from "../../../view/ui/use-printing.ts";
import type { PageStores } from "../store/page-stores.ts";
import type { RunState } from "../store/run-store.ts";
import type { SettingsState } from "../store/settings-store.ts";
import { type Panel, panels } from "./panels.ts";
import { RunLine } from "./run-line.tsx";
import type { PauseLabelsComponent } from "./run-status.ts";
import { usePlayedRun } from "./use-played-run.ts";
import { usePrintedRun } from "./use-printed-run.ts";
// Drawn from the start, so that nothing moves when the summary is filled.
import "../../../view/timeline/summary-bar.css";
import "./run-pane.css";

/** Shown above the text while its words are shaded by layers: the legend and the progress. */
export type LayerShadingComponent = ComponentType<{ onMarks: (marks: TextMarks | null) => void }>;

interface RunPaneProps {
  readonly run: StoreApi<RunState>;
  readonly settings: StoreApi<SettingsState>;
  /** The page's storage; absent if nothing can be saved, as in a file. */
  readonly page?: Pick<PageStores, "storages" | "notices" | "trouble">;
  readonly onOpenSource: OpenSource | null;
  readonly onBranch: BranchFromToken | null;
  /** Replaces the text while there is nothing to read. */
  readonly empty: React.ReactNode;
  /** Stands below the prompt of a run in progress, and with the sentences about the mods of a run that ended. */
  readonly below?: React.ReactNode;
  /** Verifies the run; absent if the page cannot. */
  readonly onVerify?: () => void;
  /** Shown after the sentence above the text. */
  readonly legend?: React.ReactNode;
  /** Shown beside the switches of the text. */
  readonly tools?: React.ReactNode;
  /** Where runs are made. */
  readonly PauseLabels?: PauseLabelsComponent;
  /** Actions at the run's end or at the selection. Actions at the selection are left out while its step is shown. */
  readonly actions?: (isStepShown: boolean) => React.ReactNode;
  /** Actions at the selection, shown in its step. */
  readonly goOn?: React.ReactNode;
  /**
   * Present if a model can be asked: the layers at the selected token, and the shading of words by the layer that decided them.
   */
  readonly layers?: { readonly panel: React.ReactNode; readonly Shading: LayerShadingComponent };
  /** Shown above a run that was recorded elsewhere. */
  readonly banner?: React.ReactNode;
  /** Shown above the text of the previous run if the latest run could not start. */
  readonly startFailure?: React.ReactNode;
}

/** These parts are fetched when they are first shown: a link draws its text without them. */
const EventsPanel = lazyPart({
  part: "The list of events",
  load: () => import("./events-panel.tsx"),
  component: "EventsPanel",
});
const SummaryBar = lazyPart({
  part: "The summary",
  async load() {
    await waitForFirstPaint();
    return import("../../../view/timeline/summary-bar.tsx");
  },
  component: "SummaryBar",
});

const ReadTools = lazyPart({
  part: "The buttons above the text",
  async load() {
    await waitForFirstPaint();
    return import("./read-tools.tsx");
  },
  component: "ReadTools",
});

const SurprisalLegend = lazyPart({
  part: "The shading legend",
  load: () => import("../../../view/timeline/ribbon/shade-legend.tsx"),
  component: "SurprisalLegend",
});

const RunEndNotice = lazyPart({
  part: "How the run ended",
  async load() {
    await waitForFirstPaint();
    return import("../../../view/timeline/run-end/run-end.tsx");
  },
  component: "RunEndNotice",
});

const ChangedModsNotice = lazyPart({
  part: "The preview of the changed mods",
  load: () => import("../../../view/timeline/branch-difference.tsx"),
  component: "ChangedModsNotice",
});

const PlaybackBar = lazyPart({
  part: "The playback",
  load: () => import("../../../view/timeline/playback/playback-bar.tsx"),
  component: "PlaybackBar",
});
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the panels of one run share its selection and its version
export function RunPane({
  run,
  settings,
  page,
  onOpenSource,
  onBranch,
  onVerify,
  PauseLabels,
  actions,
  goOn,
  layers,
  empty,
  below,
  legend,
  tools,
  banner,
  startFailure,
}: RunPaneProps) {
  const {
    status,
    select,
    playback,
    playRefusal,
    selection,
    trace,
    version,
    play,
    changePlayback,
    ...outcome
  } = usePlayedRun(run);
  const { failure, interrupted, recorded } = outcome;
  const { ribbonShare, shadeProbability, foldRemoved, change, ...shades } = useStore(settings);
  const shadeLayers = shades.shadeLayers && layers !== undefined;
  const [marks, setMarks] = useState<TextMarks | null>(null);
  const [panel, setPanel] = useState<Panel>("step");
  const place = useRef<HTMLDivElement>(null);
  const [eventsView, setEventsView] = useState<EventsView | null>(null);
  const running = status === "running" || status === "paused";
  const tracks = useTracksView(trace, running);
  const followed = useThrottledValue(version, running || playback?.isPlaying ? liveUpdateMs : 0);
  const isPrinting = usePrinting();
  const Printed = usePrintedRun();
  const hasText = trace.tokens.text.length > 0;
  const isShown = hasText || running || playback !== null || trace.request !== null;
  const isOver = status === "finished" || status === "failed";
  const reasoning = useFoldedReasoning({ trace, version: followed, selection, onSelect: select });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `followed` says so
  const authorship = useMemo(() => authorshipOf(trace), [trace, followed]);

  const drawPanel = () => {
    if (panel === "layers") return layers?.panel;
    const read = { trace, selection, version: followed };
    return panelViews[panel]({
      read,
      running,
      tracks,
      onOpenSource,
      onBranch,
      goOn,
      onSelect: select,
      drawEvents: () => (
        <EventsPanel
          {...read}
          onOpenSource={onOpenSource}
          page={page ?? null}
          view={eventsView}
          onView={setEventsView}
          onSelect={select}
        />
      ),
    });
  };

  return (
    <section className="read" aria-label="Read">
      {isPrinting && hasText && Printed && (
        <Printed trace={trace} version={version} authorship={authorship} />
      )}
      {banner}
      {(trace.request?.branch?.caughtUp ?? 0) > 0 && (
        <ChangedModsNotice trace={trace} version={followed} onSelect={select} />
      )}
      <Overview
        trace={trace}
        running={running}
        selection={selection}
        version={followed}
        shown={panel === "tracks" ? tracks.tokens : null}
        onShow={tracks.onCentre}
        onSelect={select}
      />
      <div className="read-split">
        <div className="read-text" style={{ flexBasis: `${ribbonShare}%` }}>
          <div className="read-head">
            <SummaryBar
              trace={trace}
              version={followed}
              authorship={authorship}
              selection={selection}
              onSelect={select}
              legend={legend}
              placeholder={<div className="summary" />}
            />
            {/* Also before the first word: the summary keeps its width when the text comes. */}
            <ReadTools
              settings={settings}
              tools={tools}
              play={play}
              onVerify={onVerify}
              placeholder={<div className="read-tools" />}
              isPlaying={playback !== null}
              isOver={isOver}
              hasSpans={trace.spans.length > 0}
              hasLayers={layers !== undefined}
            />
          </div>
          {shadeProbability && !shadeLayers && hasText && <SurprisalLegend />}
          {shadeLayers && hasText && <layers.Shading onMarks={setMarks} />}
          {isShown && startFailure}
          {isShown ? (
            <TokenRibbon
              trace={trace}
              version={version}
              running={running || playback?.isPlaying === true}
              selection={selection}
              shade={shadeProbability && !shadeLayers}
              marks={shadeLayers ? marks : null}
              folded={foldRemoved}
              hidesSame={shouldHideSameMarks(authorship)}
              reasoning={reasoning}
              below={
                isOver && !playback ? (
                  <RunEndNotice
                    trace={trace}
                    authorship={authorship}
                    failure={failure}
                    interrupted={interrupted}
                    canRun={!recorded}
                    below={below}
                  />
                ) : (
                  below
                )
              }
              onSelect={select}
            />
          ) : (
            <div className="read-empty">{empty}</div>
          )}
          {actions && <div className="read-actions">{actions(panel === "step")}</div>}
          {playRefusal?.trace === trace && (
            <p className="read-not-played" role="status">
              {playRefusal.words}
            </p>
          )}
          {playback && <PlaybackBar playback={playback} played={trace} onChange={changePlayback} />}
          <RunLine run={run} PauseLabels={PauseLabels} />
        </div>
        <Splitter
          orientation="horizontal"
          label="Height of the text"
          value={ribbonShare}
          min={20}
          max={80}
          onChange={(share) => change({ ribbonShare: share })}
        />
        <div ref={place} className="read-panels">
          <Tabs
            label="Panels"
            name="panel"
            tabs={layers ? panels : runPanels}
            active={panel}
            onSelect={(next) => {
              setPanel(next);
              place.current?.scrollIntoView({ block: "nearest" });
            }}
          />
          <div
            role="tabpanel"
            id={`panel-${panel}`}
            aria-labelledby={`panel-tab-${panel}`}
            className="read-panel"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
            tabIndex={0}
          >
            {drawPanel()}
          </div>
        </div>
      </div>
    </section>
  );
}
