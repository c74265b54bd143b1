/**
 * The playground: write, run, read. It draws the bar, the panes and the dialogs, and knows which of them are open. An overlay
 * (history, experiments, guide) covers the writing side of a wide page; a narrow page (below 900 pixels) shows one place.
 *
 * Who opens what:
 * - The bar and the keys: `toggle("history")` opens or closes the overlay of a wide page. A narrow page goes to the place
 *   "history", or from there back to "read".
 * - Watchers of stores, banners and experiments: `openOverlay` sets the overlay and the place, so it works at any width.
 * - Dialogs with commands: `actions`. One `dialog` is open at a time; the code of a mod that ran (`ranSource`) is a second one.
 * - The timeline: `openSource(mod, line)`, with the mod's index in the run. The editor's problems: `openLine`, with its id.
 *
 * Example of `openSource`: rename-hero ran, and the user then inserts a line at its top. In the run, the user clicks "line 9",
 * where the mod forced " Max". No mod in the editor has the source that ran, so `RanSourceDialog` shows that source at line 9,
 * with `since` "edited". Its button "Open the current version" calls `openLine`. Without the edit, the click calls `openLine`.
 */
import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { isRequestFormatMod } from "../../core/sdk/built-in.ts";
import { findOwnModPlace } from "../../core/trace/format/request-mods.ts";
import { faultInDialog } from "../../view/ui/dialog.tsx";
import { PaneBoundary } from "../../view/ui/pane-boundary.tsx";
import { useNarrow } from "../../view/ui/use-narrow.ts";
import { Bar } from "./bar/bar.tsx";
import { ModsPane } from "./editor/mods-pane.tsx";
import type { SourcePlace } from "./editor/source-place.ts";
import { featureKeys } from "./features/feature-keys.ts";
import { featurePanes } from "./features/feature-panes.ts";
import { features } from "./features/features.ts";
import { NotSavedBanner } from "./history/not-saved.tsx";
import type { KeyActions } from "./key-row.ts";
import {
  BranchTreeBar,
  ComparePane,
  ContinueAtEnd,
  ContinueFromHere,
  ContinueRun,
  EarlierRunBanner,
  GuidePane,
  HistoryPane,
  LayerShading,
  LazyRunStartProgress,
  LazyStepLayersPanel,
  LegendButton,
  PauseLabels,
  PlaygroundDialogs,
  RanSourceDialog,
  RecordedBanner,
  RepeatOutcome,
  SetAsideBanner,
  TypeErrorNotes,
  UnsuitedModelHint,
} from "./lazy-panes.tsx";
import type { OverlayPane, PageActions, PageDialog, PagePlace } from "./page-actions.ts";
import { PaneLayout } from "./pane-layout.tsx";
import { LazyReadingBanner } from "./read/lazy-reading-banner.tsx";
import { RunPane } from "./read/run-pane.tsx";
import { StartFailure } from "./read/start-failure.tsx";
import { WaitingText } from "./read/waiting-text.tsx";
import { Welcome } from "./read/welcome.tsx";
import { TraceDropTarget } from "./share/open-file.tsx";
import type { RanSource } from "./share/ran-source-dialog.tsx";
import { damagedEntries } from "./store/damage-store.ts";
import { forkIntoEditorLazily } from "./store/late-fork.ts";
import { listedRunId } from "./store/shown-run.ts";
import { startBranch } from "./store/start-branch.ts";
import { startRun } from "./store/start-run.ts";
import { useStores } from "./store/stores.ts";
import { usePageStoreWatchers } from "./use-followers.ts";
import { useKeys } from "./use-keys.ts";
// The panes and dialogs of the playground use its fields, each fetched in its own time.
import "../../view/ui/form.css";
import "./first-visit.css";
import "./playground.css";

/** A single element, so that its users are not drawn again with the page. */
const continueFromHere = <ContinueFromHere />;
const layers = { panel: <LazyStepLayersPanel />, Shading: LayerShading };

interface ShownSource extends RanSource {
  /** The mod in the editor that ran from this source; undefined if the mod has been deleted. */
  readonly id: string | undefined;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the bar, the panes and the dialogs open one another
export function PlaygroundView() {
  const stores = useStores();
  // The same element each time, so that the summary is not drawn again with the page.
  const legend = useMemo(() => <LegendButton run={stores.run} />, [stores]);
  const narrow = useNarrow();
  const [place, setPlace] = useState<PagePlace>("read");
  const [overlay, setOverlay] = useState<OverlayPane | null>(null);
  const [dialog, setDialog] = useState<PageDialog | null>(null);
  const [source, setSource] = useState<SourcePlace | null>(null);
  const [ranSource, setRanSource] = useState<ShownSource | null>(null);
  const [chosenFile, setChosenFile] = useState<File | null>(null);
  const recorded = useStore(stores.run, (state) => state.recorded);
  const showsDamage = useStore(stores.damage, (state) => !state.isHidden && damagedEntries(state).length > 0);
  const isReading = useStore(stores.run, (state) => state.status === "reading");
  const compared = useStore(stores.compare, (state) => state.other);
  const isStarting = useStore(stores.run, (state) => state.status === "starting");
  const isFinished = useStore(stores.run, (state) => state.status === "finished");
  const hasMods = useStore(
    stores.run,
    ({ trace, version }) => version >= 0 && (trace.request?.mods.length ?? 0) > 0,
  );
  const startFailure = useStore(stores.run, (state) => state.startFailure);
  const isEmpty = useStore(stores.run, (state) => state.status === "empty");
  const showsAll = useStore(stores.settings, (state) => state.showsAll);
  useEffect(() => {
    if (!isEmpty && !showsAll) stores.settings.getState().change({ showsAll: true });
  }, [isEmpty, showsAll, stores]);
  const openOverlay = useCallback((which: OverlayPane) => {
    setOverlay(which);
    setPlace(which);
  }, []);

  usePageStoreWatchers(stores, openOverlay, setPlace);
  const run = () => {
    if (narrow) setPlace("read");
    void startRun(stores);
  };
  const openLine = (mod: string, line: number | null) => {
    stores.mods.getState().open(mod);
    setOverlay(null);
    setPlace("write");
    if (line !== null) setSource({ mod, line, wish: Date.now() });
  };
  const forkShown = () => {
    const shown = stores.run.getState();
    if (shown.status === "reading")
      stores.notices.getState().fail("This run is still loading. Fork it when it has finished loading.");
    else if (shown.trace.request) void forkIntoEditorLazily(stores, shown.trace.request, listedRunId(shown));
  };
  const openSource = (mod: number, line: number | null) => {
    const { trace, modIds, recorded: isRecorded } = stores.run.getState();
    const { request } = trace;
    const ranMod = request?.mods[mod];
    if (!request || !ranMod) return;
    if (isRequestFormatMod(ranMod)) {
      stores.notices
        .getState()
        .fail(
          "This comes from the response format, not from one of your mods. Change the format under Answer, below the conversation.",
        );
      return;
    }
    const { mods } = stores.mods.getState();
    const currentMod = mods.find(({ id }) => id === modIds[findOwnModPlace(request, mod)]);
    // The same mod goes before others with an equal source. A recorded run may find its source here, too.
    const same = [currentMod, ...mods].find((each) => each?.source === ranMod.source);
    const change = currentMod ? "edited" : "deleted";
    if (same) openLine(same.id, line);
    else setRanSource({ ...ranMod, line, since: isRecorded ? "elsewhere" : change, id: currentMod?.id });
  };
  const ranSourceAction = ({ since, id }: ShownSource) => {
    if (since === "elsewhere") return { label: "Fork to editor", run: forkShown };
    return id === undefined ? null : { label: "Open the current version", run: () => openLine(id, null) };
  };
  const showRead = useCallback(() => setPlace("read"), []);
  const toggle = (which: OverlayPane) => () => {
    if (narrow) setPlace(place === which ? "read" : which);
    else setOverlay(overlay === which ? null : which);
  };
  const keyActions: KeyActions = {
    run,
    history: toggle("history"),
    breakpoints: () => setDialog("breakpoints"),
    guide: toggle("guide"),
    help: () => setDialog("help"),
    share: () => setDialog("share"),
    commands: () => setDialog("commands"),
    togglePane: (pane) => toggle(pane)(),
    openDialog: setDialog,
  };
  useKeys(stores, keyActions, featureKeys);
  const actions: PageActions = {
    run,
    open: setDialog,
    show(which) {
      if (which === "write" || which === "run") setOverlay(null);
      else if (which !== "read") setOverlay(which);
      setPlace(which);
    },
    openFile: setChosenFile,
    openLine,
  };

  const branch = useCallback(
    (index: number, token: number) => void startBranch(stores, index, token),
    [stores],
  );

  const close = (which: OverlayPane) => () => {
    setOverlay(null);
    document.querySelector<HTMLElement>(`.${which}-button`)?.focus();
  };
  const closeDialog = () => setDialog(null);
  const write = (
    <PaneBoundary pane="The list of mods">
      <ModsPane goTo={source} page={actions} onShowStep={showRead} />
    </PaneBoundary>
  );
  const read =
    compared !== null ? (
      <ComparePane />
    ) : (
      <PaneBoundary pane="The timeline">
        <RunPane
          run={stores.run}
          settings={stores.settings}
          page={stores}
          onOpenSource={openSource}
          onBranch={isReading ? null : branch}
          PauseLabels={PauseLabels}
          actions={(isStepShown) => <ContinueRun isStepShown={isStepShown} />}
          goOn={continueFromHere}
          layers={layers}
          legend={legend}
          empty={isStarting ? <WaitingText /> : <Welcome onRun={run} />}
          below={
            <>
              <WaitingText />
              {isFinished && <TypeErrorNotes onOpenLine={openLine} />}
              <ContinueAtEnd />
            </>
          }
          startFailure={startFailure !== null && <StartFailure message={startFailure} hasRunBefore />}
          {...(!isReading && { onVerify: () => setDialog("verify") })}
          tools={
            !recorded &&
            hasMods &&
            features.map(
              ({ name, RunButtons }) =>
                RunButtons && <RunButtons key={name} page={actions} disabled={!isFinished} />,
            )
          }
          banner={
            <>
              <LazyRunStartProgress />
              <NotSavedBanner onHistory={() => openOverlay("history")} />
              {showsDamage && <SetAsideBanner onShow={() => setDialog("workspace")} />}
              <BranchTreeBar />
              <LazyReadingBanner run={stores.run} onReadOn={null} />
              {!isReading && recorded && <RecordedBanner onFork={forkShown} />}
              {!isReading && !recorded && (
                <>
                  <EarlierRunBanner />
                  <RepeatOutcome />
                  <UnsuitedModelHint onRun={run} />
                </>
              )}
            </>
          }
        />
      </PaneBoundary>
    );
  const history = (
    <HistoryPane
      onOpened={() => setPlace("read")}
      onOpenFile={setChosenFile}
      onDialog={setDialog}
      onForked={() => {
        setOverlay(null);
        setPlace("write");
      }}
      onRun={run}
      onClose={narrow ? undefined : close("history")}
    />
  );
  const panesOfFeatures = Object.fromEntries(
    featurePanes.map(({ id, Pane }) => [
      id,
      <Pane key={id} onOpened={() => setPlace("read")} onClose={narrow ? undefined : close(id)} />,
    ]),
  );
  const guide = (
    <GuidePane onRun={() => narrow && setPlace("read")} onClose={narrow ? undefined : close("guide")} />
  );
  return (
    <>
      <div className="playground" data-first={isEmpty && !showsAll}>
        <PaneBoundary pane="The top bar">
          <Bar
            page={actions}
            paneButton={(pane) => (narrow ? null : { isOpen: overlay === pane, onToggle: toggle(pane) })}
          />
        </PaneBoundary>
        <PaneLayout
          narrow={narrow}
          place={place}
          over={overlay}
          onPlace={setPlace}
          panes={{ ...panesOfFeatures, write, read, history, guide }}
        />
      </div>
      {dialog !== null && (
        <PlaygroundDialogs
          open={dialog}
          actions={actions}
          onClose={closeDialog}
          within={faultInDialog("Midtoken", closeDialog)}
        />
      )}
      {ranSource && (
        <PaneBoundary
          pane="The view of the mod’s code"
          within={faultInDialog(ranSource.name, () => setRanSource(null))}
        >
          <RanSourceDialog
            ran={ranSource}
            action={ranSourceAction(ranSource)}
            onClose={() => setRanSource(null)}
          />
        </PaneBoundary>
      )}
      <TraceDropTarget stores={stores} onRead={showRead} chosen={chosenFile} />
    </>
  );
}
