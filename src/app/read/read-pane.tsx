/** Where a run is read: overview, text, and the panels that explain it. Knows no engine and no editor. */
import { useCallback, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { Overview } from "../../timeline/overview.tsx";
import { tokensIn } from "../../timeline/track-axis.ts";
import type { RunState } from "../store/run-store.ts";
import type { SettingsState } from "../store/settings-store.ts";
import { Button } from "../ui/button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Paged } from "../ui/paged.tsx";
import { Splitter } from "../ui/splitter.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { usePrinting } from "../ui/use-printing.ts";
import { AnswerCard } from "./answer-card.tsx";
import { answerCards, cardCount } from "./answer-cards.ts";
import { EventsTable } from "./events-table.tsx";
import { PrintedRun } from "./printed-run.tsx";
import { Ribbon } from "./ribbon.tsx";
import { adjustsOften, authorshipOf } from "./ribbon-cells.ts";
import { RunLine } from "./run-line.tsx";
import { type Branch, type OpenSource, StepInspector } from "./step-inspector.tsx";
import { SummaryBar } from "./summary-bar.tsx";
import { type TracksView, wholeRun } from "./tracks-view.ts";
import { Transcript, transcriptSizes } from "./transcript.tsx";
import "./read-pane.css";

interface ReadPaneProps {
  readonly run: StoreApi<RunState>;
  readonly settings: StoreApi<SettingsState>;
  readonly onOpenSource: OpenSource | null;
  readonly onBranch: Branch | null;
  /** Shown in the ribbon's place while there is nothing to read. */
  readonly empty: React.ReactNode;
  /** Shown above a run that was recorded elsewhere. */
  readonly banner?: React.ReactNode;
}

/** Fetched when they are first shown: a link draws its text without them. */
const TracksPanel = lazyPart({
  part: "The tracks",
  load: () => import("./tracks-panel.tsx"),
  component: "TracksPanel",
});

/** How many tool calls are drawn at a time. */
const cardsShown = 10;

type Panel = "step" | "tracks" | "events" | "transcript";

const panels = [
  { id: "step", label: "Step" },
  { id: "tracks", label: "Tracks" },
  { id: "events", label: "Events" },
  { id: "transcript", label: "Transcript" },
] as const;

export function ReadPane({ run, settings, onOpenSource, onBranch, empty, banner }: ReadPaneProps) {
  const { trace, version, status, selection, select } = useStore(run);
  const { ribbonShare, shadeProbability, foldRemoved, change } = useStore(settings);
  const [panel, setPanel] = useState<Panel>("step");
  const [tracks, setTracks] = useState({ trace, shown: wholeRun });
  const onShow = useCallback((next: TracksView) => setTracks({ trace, shown: next }), [trace]);
  const shown = tracks.trace === trace ? tracks.shown : { ...tracks.shown, view: null };
  const running = status === "running" || status === "paused";
  const isPrinting = usePrinting();
  const hasText = trace.tokens.text.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const authorship = useMemo(() => authorshipOf(trace), [trace, version]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `version` says so
  const cards = useMemo(() => cardCount(trace), [trace, version]);

  return (
    <section className="read" aria-label="Read">
      {isPrinting && hasText && <PrintedRun trace={trace} version={version} authorship={authorship} />}
      {banner}
      <Overview
        {...{ trace, version, running, selection }}
        shown={panel === "tracks" && shown.view ? tokensIn(trace, shown.axis, shown.view) : null}
        onSelect={select}
      />
      <div className="read-split">
        <div className="read-text" style={{ flexBasis: `${ribbonShare}%` }}>
          <div className="read-head">
            <SummaryBar
              trace={trace}
              version={version}
              authorship={authorship}
              selection={selection}
              onSelect={select}
            />
            {hasText && (
              <div className="read-tools">
                <Button
                  weight="quiet"
                  aria-pressed={shadeProbability}
                  title="Shade words by how little the model expected them"
                  onClick={() => change({ shadeProbability: !shadeProbability })}
                >
                  Shade
                </Button>
                <Button
                  weight="quiet"
                  aria-pressed={foldRemoved}
                  disabled={trace.spans.length === 0}
                  title="Fold away what was removed"
                  onClick={() => change({ foldRemoved: !foldRemoved })}
                >
                  Fold
                </Button>
              </div>
            )}
          </div>
          {hasText || running ? (
            <Ribbon
              trace={trace}
              version={version}
              running={running}
              selection={selection}
              shade={shadeProbability}
              folded={foldRemoved}
              hidesOdds={adjustsOften(authorship)}
              below={
                <Paged count={cards} size={cardsShown} noun="tool calls">
                  {(from, to) =>
                    answerCards(trace, from, to).map((card, place) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: the cards of a run that has ended never change places
                      <AnswerCard key={from + place} card={card} />
                    ))
                  }
                </Paged>
              }
              onSelect={select}
            />
          ) : (
            <div className="read-empty">{empty}</div>
          )}
          <RunLine run={run} saysStartFailure={hasText || running} />
        </div>
        <Splitter
          orientation="horizontal"
          label="Height of the text"
          value={ribbonShare}
          min={20}
          max={80}
          onChange={(share) => change({ ribbonShare: share })}
        />
        <div className="read-panels">
          <Tabs label="Panels" name="panel" tabs={panels} active={panel} onSelect={setPanel} />
          <div
            role="tabpanel"
            id={`panel-${panel}`}
            aria-labelledby={`panel-tab-${panel}`}
            className="read-panel"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must take the focus
            tabIndex={0}
          >
            {panel === "step" && (
              <StepInspector
                trace={trace}
                version={version}
                selection={selection}
                onOpenSource={onOpenSource}
                onBranch={onBranch}
              />
            )}
            {panel === "tracks" && (
              <TracksPanel
                {...{ trace, version, running, selection, shown }}
                onShow={onShow}
                onSelect={select}
              />
            )}
            {panel === "events" && (
              <EventsTable
                trace={trace}
                version={version}
                selection={selection}
                onSelect={select}
                onOpenSource={onOpenSource}
              />
            )}
            {panel === "transcript" && (
              <Transcript
                trace={trace}
                version={version}
                selection={selection}
                most={transcriptSizes.panel}
              />
            )}
          </div>
        </div>
      </div>
    </section>
  );
}
