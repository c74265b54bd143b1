/** The playground: write, run, read. Wide: all at once; narrow: one at a time. */
import { useCallback, useEffect, useState } from "react";
import { useStore } from "zustand";
import { isBuiltIn } from "../sdk/built-in.ts";
import type { TraceModel } from "../trace/trace-model.ts";
import { Bar } from "./bar/bar.tsx";
import { StartProgress } from "./bar/start-progress.tsx";
import { ConversationPane } from "./conversation/conversation-pane.tsx";
import { ModsPane } from "./editor/mods-pane.tsx";
import type { SourcePlace } from "./editor/source-place.ts";
import { HelpDialog } from "./help-dialog.tsx";
import { NotKept } from "./history/not-kept.tsx";
import { RecordedBanner } from "./history/recorded-banner.tsx";
import { useKeys } from "./keys.ts";
import { ModelHint } from "./read/model-hint.tsx";
import { ReadPane } from "./read/read-pane.tsx";
import { Welcome } from "./read/welcome.tsx";
import { takeHandOver } from "./share/hand-over.ts";
import { TraceDropTarget } from "./share/open-file.tsx";
import { type RanSource, RanSourceDialog } from "./share/ran-source-dialog.tsx";
import { ShareDialog } from "./share/share-dialog.tsx";
import { fork } from "./store/fork.ts";
import { keepRuns } from "./store/keep-runs.ts";
import { watchMendedFailures } from "./store/mended-failures.ts";
import { wayBack } from "./store/open-run.ts";
import { keepSandboxesReady } from "./store/ready-sandboxes.ts";
import { reportFaults } from "./store/report-faults.ts";
import { listedId } from "./store/run-store.ts";
import { keepSelectionInAddress } from "./store/selection-address.ts";
import { startBranch } from "./store/start-branch.ts";
import { startRun } from "./store/start-run.ts";
import { useStores } from "./store/stores.ts";
import { inDialog } from "./ui/dialog.tsx";
import { lazyPart } from "./ui/lazy-part.tsx";
import { PaneBoundary } from "./ui/pane-boundary.tsx";
import { Splitter } from "./ui/splitter.tsx";
import { Tabs } from "./ui/tabs.tsx";
import { useNarrow } from "./ui/use-narrow.ts";
import "./playground.css";

type Place = "write" | "run" | "read" | "history";

const places = [
  { id: "write", label: "Write" },
  { id: "run", label: "Run" },
  { id: "read", label: "Read" },
  { id: "history", label: "History" },
] as const;

const HistoryPane = lazyPart({
  part: "The history",
  load: () => import("./history/history-pane.tsx"),
  component: "HistoryPane",
});

export function PlaygroundView() {
  const stores = useStores();
  const narrow = useNarrow();
  const [place, setPlace] = useState<Place>("read");
  const [isHistoryOpen, setHistoryOpen] = useState(false);
  const [dialog, setDialog] = useState<"share" | "help" | null>(null);
  const [source, setSource] = useState<SourcePlace | null>(null);
  const [ran, setRan] = useState<(RanSource & { readonly id: string | undefined }) | null>(null);
  const { writeShare, change } = useStore(stores.settings);
  const recorded = useStore(stores.run, (state) => state.recorded);
  const openHistory = useCallback(() => {
    setHistoryOpen(true);
    setPlace("history");
  }, []);

  useEffect(() => reportFaults(stores), [stores]);
  useEffect(() => keepSelectionInAddress(stores.run, stores.notices.getState().show), [stores]);
  useEffect(() => watchMendedFailures(stores), [stores]);
  useEffect(() => {
    return keepRuns(stores, { locks: navigator.locks, events: window, openHistory });
  }, [stores, openHistory]);
  useEffect(() => keepSandboxesReady(stores), [stores]);
  useEffect(() => {
    const handed = takeHandOver();
    if (!handed) return;
    const { trace, about } = handed;
    stores.run.getState().show(trace, about);
    if (trace.request) {
      void fork(stores, trace.request, listedId(about)).then((isDone) => {
        if (isDone && handed.run) void startRun(stores);
      });
    }
    setPlace(handed.run ? "read" : "write");
  }, [stores]);
  const run = () => {
    if (narrow) setPlace("read");
    void startRun(stores);
  };
  const openLine = (mod: string, line: number | null) => {
    stores.mods.getState().open(mod);
    setPlace("write");
    if (line !== null) setSource({ mod, line, wish: Date.now() });
  };
  const forkShown = () => {
    const shown = stores.run.getState();
    if (shown.trace.request) void fork(stores, shown.trace.request, listedId(shown));
  };
  const openSource = (mod: number, line: number | null) => {
    const { trace, modIds, recorded: isRecorded } = stores.run.getState();
    const ranHere = trace.request?.mods[mod];
    if (!ranHere) return;
    if (isBuiltIn(ranHere)) {
      stores.notices.getState().show("That comes with the request: see Answer, below the conversation.");
      return;
    }
    const { mods } = stores.mods.getState();
    const own = mods.find(({ id }) => id === modIds[mod]);
    const same = [own, ...mods].find((each) => each?.source === ranHere.source);
    if (same) openLine(same.id, line);
    else
      setRan({ ...ranHere, line, since: isRecorded ? "elsewhere" : own ? "edited" : "deleted", id: own?.id });
  };
  const openTrace = useCallback(
    (trace: TraceModel) => {
      const { run: store, notices } = stores;
      const back = store.getState().status === "finished" ? wayBack(stores) : null;
      store.getState().show(trace);
      setPlace("read");
      if (back === null) return;
      notices.getState().show("The file is open.", { label: "Back to the run before", run: back });
    },
    [stores],
  );
  const toggleHistory = () => {
    if (narrow) setPlace(place === "history" ? "read" : "history");
    else setHistoryOpen(!isHistoryOpen);
  };
  useKeys(stores, {
    run,
    history: toggleHistory,
    help: () => setDialog("help"),
    share: () => setDialog("share"),
  });

  const branch = useCallback(
    (index: number, token: number) => void startBranch(stores, index, token),
    [stores],
  );

  const closeHistory = useCallback(() => {
    setHistoryOpen(false);
    document.querySelector<HTMLElement>(".history-button")?.focus();
  }, []);
  const closeDialog = () => setDialog(null);
  const write = (
    <PaneBoundary pane="The list of mods">
      <ModsPane goTo={source} onOpenLine={openLine} />
    </PaneBoundary>
  );
  const read = (
    <PaneBoundary pane="The timeline">
      <ReadPane
        run={stores.run}
        settings={stores.settings}
        onOpenSource={openSource}
        onBranch={branch}
        empty={<Welcome onRun={run} />}
        banner={
          <>
            <StartProgress />
            <NotKept onHistory={openHistory} />
            {recorded ? <RecordedBanner onFork={forkShown} /> : <ModelHint onRun={run} />}
          </>
        }
      />
    </PaneBoundary>
  );
  const history = (
    <HistoryPane
      onOpened={() => setPlace("read")}
      onForked={() => {
        setHistoryOpen(false);
        setPlace("write");
      }}
      onRun={run}
      onClose={narrow ? undefined : closeHistory}
    />
  );
  return (
    <>
      <div className="playground">
        <PaneBoundary pane="The bar">
          <Bar
            onRun={run}
            history={narrow ? null : { isOpen: isHistoryOpen, onToggle: toggleHistory }}
            onShare={() => setDialog("share")}
            onHelp={() => setDialog("help")}
          />
        </PaneBoundary>
        {narrow ? (
          <main className="narrow">
            <Tabs label="Places" name="place" tabs={places} active={place} onSelect={setPlace} />
            <div
              role="tabpanel"
              id={`place-${place}`}
              aria-labelledby={`place-tab-${place}`}
              className="narrow-panel"
            >
              {{ write, run: <Conversation />, read, history }[place]}
            </div>
          </main>
        ) : (
          <main className="wide">
            <WriteColumn share={writeShare} write={write} history={isHistoryOpen ? history : null} />
            <Splitter
              orientation="vertical"
              label="Width of the editor"
              value={writeShare}
              min={24}
              max={64}
              onChange={(share) => change({ writeShare: share })}
            />
            {read}
          </main>
        )}
      </div>
      {dialog === "share" && (
        <PaneBoundary pane="Sharing" within={inDialog("Share this run", closeDialog)}>
          <ShareDialog run={stores.run} onClose={closeDialog} />
        </PaneBoundary>
      )}
      {ran && (
        <PaneBoundary pane="The source" within={inDialog(ran.name, () => setRan(null))}>
          <RanSourceDialog
            ran={ran}
            action={
              ran.since === "elsewhere"
                ? { label: "Fork to editor", run: forkShown }
                : ran.id !== undefined
                  ? { label: "Open it as it is now", run: () => openLine(ran.id ?? "", null) }
                  : null
            }
            onClose={() => setRan(null)}
          />
        </PaneBoundary>
      )}
      <TraceDropTarget onOpen={openTrace} onError={stores.notices.getState().show} />
      {dialog === "help" && <HelpDialog settings={stores.settings} onClose={closeDialog} />}
    </>
  );
}

interface WriteColumnProps {
  readonly share: number;
  readonly write: React.ReactNode;
  /** Stands over the column, which stays as it is beneath. */
  readonly history: React.ReactNode | null;
}

function WriteColumn({ share, write, history }: WriteColumnProps) {
  const { settings } = useStores();
  const { editorShare, change } = useStore(settings);
  return (
    <div className="wide-write" style={{ width: `${share}%` }}>
      {history && <div className="wide-history">{history}</div>}
      <div className="wide-write-panes" inert={history !== null}>
        <div className="wide-editor" style={{ flexBasis: `${editorShare}%` }}>
          {write}
        </div>
        <Splitter
          orientation="horizontal"
          label="Height of the editor"
          value={editorShare}
          min={20}
          max={85}
          onChange={(next) => change({ editorShare: next })}
        />
        <Conversation />
      </div>
    </div>
  );
}

function Conversation() {
  return (
    <PaneBoundary pane="The conversation">
      <ConversationPane />
    </PaneBoundary>
  );
}
