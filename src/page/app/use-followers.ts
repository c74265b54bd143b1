/** Background work while the playground is shown: runs are saved, addresses and other tabs are followed. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { waitForFirstPaint } from "../../view/ui/first-paint.ts";
import { fetchRunCodec } from "../runs/run-codec.ts";
import { features } from "./features/features.ts";
import { parseGuideFragment } from "./guide/guide-address.ts";
import { askPersistAfterModel } from "./offline/ask-persist.ts";
import type { OverlayPane, PagePlace } from "./page-actions.ts";
import { takeHandOver } from "./share/hand-over.ts";
import { pageLocks } from "./store/browser-storage.ts";
import { syncComparisonWithAddress } from "./store/compare-address.ts";
import { forkIntoEditorLazily } from "./store/late-fork.ts";
import { clearStartFailureOnChange } from "./store/mended-failures.ts";
import { keepSandboxesReady } from "./store/ready-sandboxes.ts";
import { watchModFaults } from "./store/report-faults.ts";
import { startSavingRuns } from "./store/save-runs.ts";
import { startSavingModVersions } from "./store/save-versions.ts";
import { syncSelectionWithAddress } from "./store/selection-address.ts";
import { listedRunId } from "./store/shown-run.ts";
import { startRunAsRepeatOf } from "./store/start-run.ts";
import type { Stores } from "./store/stores.ts";

/** Both functions must stay the same from one call to the next. */
export function usePageStoreWatchers(
  stores: Stores,
  openOver: (pane: OverlayPane) => void,
  setPlace: (place: PagePlace) => void,
): void {
  const compared = useStore(stores.compare, (state) => state.other);
  useEffect(() => watchModFaults(stores), [stores]);
  useEffect(() => syncSelectionWithAddress(stores.run, stores.notices.getState().show), [stores]);
  useEffect(() => syncComparisonWithAddress(stores), [stores]);
  useEffect(() => {
    if (compared !== null) setPlace("read");
  }, [compared, setPlace]);
  useEffect(() => {
    if (!isSecureContext)
      void import("./store/insecure-notice.ts").then(({ sayIfInsecure }) => sayIfInsecure(stores));
  }, [stores]);
  useEffect(() => scrollToTextOfNewRuns(stores), [stores]);
  useEffect(() => clearStartFailureOnChange(stores), [stores]);
  useEffect(() => startSavingModVersions(stores), [stores]);
  useEffect(() => askPersistAfterModel(stores.model), [stores]);
  useEffect(() => {
    const openHistory = () => openOver("history");
    return startSavingRuns(stores, { locks: pageLocks(), events: window, openHistory });
  }, [stores, openOver]);
  useEffect(() => void waitForFirstPaint().then(fetchRunCodec), []);
  useEffect(() => {
    for (const { start } of features) start?.(stores, openOver);
  }, [stores, openOver]);
  useEffect(() => keepSandboxesReady(stores), [stores]);
  useEffect(() => {
    const follow = () => parseGuideFragment(location.hash) !== null && openOver("guide");
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, [openOver]);
  useEffect(() => {
    const handed = takeHandOver();
    if (!handed) return;
    const { request, read } = handed;
    if (read) stores.run.getState().show(read.trace, read.about);
    if (request) {
      void forkIntoEditorLazily(stores, request, read && listedRunId(read.about)).then((isDone) => {
        if (!isDone || !handed.run) return;
        const repeated = request.branch === null && read ? { trace: read.trace, id: read.about.id } : null;
        void startRunAsRepeatOf(stores, repeated);
      });
    }
    setPlace(handed.run ? "read" : "write");
  }, [stores, setPlace]);
}

/** A narrow page may have been scrolled to the panels below the text when a run begins. */
function scrollToTextOfNewRuns({ run }: Stores): () => void {
  return run.subscribe(({ status, started }, before) => {
    const isAnnounced = status === "starting" && before.status !== "starting";
    if (isAnnounced || started !== before.started) document.querySelector(".read")?.scrollTo({ top: 0 });
  });
}
