/** A run from a link. The code of actions on the run is fetched on demand. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { StoreApi } from "zustand/vanilla";
import { leftOutSentences } from "../../../core/trace/format/left-out.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button, IconButton } from "../../../view/ui/button.tsx";
import { faultInDialog } from "../../../view/ui/dialog.tsx";
import { waitForFirstPaint } from "../../../view/ui/first-paint.ts";
import { lazyDialog } from "../../../view/ui/lazy-dialog.tsx";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { Logo } from "../../../view/ui/logo.tsx";
import { ThemeButton } from "../bar/theme-button.tsx";
import { SaveButton } from "../history/save-button.tsx";
import { LazyReadingBanner } from "../read/lazy-reading-banner.tsx";
import { RunPane } from "../read/run-pane.tsx";
import type { PageStores } from "../store/page-stores.ts";
import type { RunState } from "../store/run-store.ts";
import { syncSelectionWithAddress } from "../store/selection-address.ts";
import { shownRunFieldsOf } from "../store/shown-run.ts";
import { useKeys } from "../use-keys.ts";
import { isFramedByAnother } from "./framed.ts";
import type { PlaygroundHandOver } from "./hand-over.ts";
import { ShareDialog } from "./lazy-share-dialog.tsx";
import { RecordedBy } from "./recorded-by.tsx";
import "../../../view/ui/banner.css";
import "../bar/bar.css";
import "./link-view.css";

export type SharedRunStore = StoreApi<RunState>;

/** Fetched on demand: a link draws its text without these parts. */
const HelpDialog = lazyDialog({
  part: "The list of shortcuts",
  load: () => import("../help-dialog.tsx"),
  component: "HelpDialog",
});
const LinkLegend = lazyPart({
  part: "The legend for the marks",
  async load() {
    await waitForFirstPaint();
    return import("./link-legend.tsx");
  },
  component: "LinkLegend",
});
const LinkPalette = lazyDialog({
  part: "The list of commands",
  load: () => import("./link-palette.tsx"),
  component: "LinkPalette",
});
const SourceDialog = lazyDialog({
  part: "The view of the mods’ code",
  load: () => import("./source-dialog.tsx"),
  component: "SourceDialog",
});

interface SharedRunProps {
  readonly page: PageStores;
  readonly run: SharedRunStore;
  /** Continues reading, if it was stopped. */
  readonly onReadOn: (() => void) | null;
  /** Replaces the banner's words that the run was recorded, for a run that is still being made. */
  readonly heading?: React.ReactNode;
  /** Goes to the playground. */
  readonly leave: (handed: PlaygroundHandOver) => void;
}

type LinkDialog = "share" | "help" | "source" | "rerun" | "commands";

export function SharedRun({ page, run, onReadOn, heading, leave }: SharedRunProps) {
  const [dialog, setDialog] = useState<LinkDialog | null>(null);
  const trace = useStore(run, (state) => state.trace);
  // The records of a live run come after it is shown.
  const model = useStore(run, (state) => state.trace.request?.model.id ?? "");
  useEffect(() => syncSelectionWithAddress(run, page.notices.getState().show), [run, page]);
  useKeys(
    { run, settings: page.settings },
    {
      help: () => setDialog("help"),
      share: () => setDialog("share"),
      commands: () => setDialog("commands"),
    },
  );
  const isReading = useIsReading(run);
  const fork = (runs: boolean) =>
    leave({ request: trace.request, read: { trace, about: shownRunFieldsOf(run.getState()) }, run: runs });
  return (
    <div className="link-view">
      <LinkBar model={model} page={page} isReading={isReading} onDialog={setDialog} />
      <LinkBanner page={page} run={run} heading={heading} onDialog={setDialog} onFork={() => fork(false)} />
      <LazyReadingBanner run={run} onReadOn={onReadOn} />
      <main className="link-main">
        <LinkIntro run={run} />
        <RunPane
          run={run}
          page={page}
          settings={page.settings}
          onOpenSource={() => setDialog("source")}
          onBranch={null}
          empty={isReading ? null : <NothingRecorded />}
        />
      </main>
      <LinkDialogs dialog={dialog} page={page} run={run} onDialog={setDialog} onFork={fork} />
    </div>
  );
}

function useIsReading(run: SharedRunStore): boolean {
  return useStore(run, ({ status }) => status !== "finished" && status !== "failed");
}

function useHasMods(run: SharedRunStore): boolean {
  return useStore(run, (state) => (state.trace.request?.mods.length ?? 0) > 0);
}

interface LinkBannerProps {
  readonly page: PageStores;
  readonly run: SharedRunStore;
  readonly heading: React.ReactNode;
  readonly onDialog: (dialog: LinkDialog) => void;
  readonly onFork: () => void;
}

/** Says that no code of the run was executed, and offers to run or save the record. */
function LinkBanner({ page, run, heading, onDialog, onFork }: LinkBannerProps) {
  const trace = useStore(run, (state) => state.trace);
  const kept = useStore(run, (state) => state.saved);
  const hasMods = useHasMods(run);
  const isReading = useIsReading(run);
  const notes = [...trace.leftOut].map((kind) => leftOutSentences[kind]);
  const isFramed = isFramedByAnother(window);
  return (
    <aside className="banner link-banner" aria-label="About this run">
      <p>
        {heading ?? (
          <strong>
            Recorded
            <RecordedBy trace={trace} otherwise=" by someone else" />. Nothing has run on this device.
          </strong>
        )}{" "}
        {notes.length > 0 && (
          <span title={notes.join(" ")}>
            {trace.leftOut.has("exactNumbers")
              ? leftOutSentences.exactNumbers
              : "The link leaves out some parts of the run."}
          </span>
        )}{" "}
        {isFramed && "This page is shown inside another site: open it in its own tab to run or save."}
      </p>
      <div className="link-actions">
        {hasMods && (
          <Button weight="quiet" onClick={() => onDialog("source")}>
            Show the mods
          </Button>
        )}
        {isFramed ? (
          <OpenInTab />
        ) : (
          <>
            <SaveButton
              isSaved={kept === "listed"}
              waits={isReading}
              notices={page.notices}
              save={(saving) => saving.saveRunFromLink(page, run)}
            />
            <Button disabled={isReading} onClick={() => onDialog("rerun")}>
              Run here and compare
            </Button>
            <Button disabled={isReading} onClick={onFork}>
              Open in the playground
            </Button>
          </>
        )}
      </div>
    </aside>
  );
}

interface LinkDialogsProps {
  readonly dialog: LinkDialog | null;
  readonly page: PageStores;
  readonly run: SharedRunStore;
  readonly onDialog: (dialog: LinkDialog | null) => void;
  readonly onFork: (runs: boolean) => void;
}

function LinkDialogs({ dialog, page, run, onDialog, onFork }: LinkDialogsProps) {
  const trace = useStore(run, (state) => state.trace);
  const hasMods = useHasMods(run);
  const isReading = useIsReading(run);
  const isFramed = isFramedByAnother(window);
  const close = () => onDialog(null);
  switch (dialog) {
    case null:
      return null;
    case "share":
      return (
        <ShareDialog run={run} page={page} onClose={close} within={faultInDialog("Share this run", close)} />
      );
    case "help":
      return (
        <HelpDialog settings={page.settings} onClose={close} within={faultInDialog("Shortcuts", close)} />
      );
    case "commands":
      return (
        <LinkPalette
          stores={{ run, settings: page.settings }}
          actions={{ open: onDialog, showRead() {} }}
          isReading={isReading}
          onMods={hasMods ? () => onDialog("source") : null}
          onRerun={isFramed ? null : () => onDialog("rerun")}
          onFork={isFramed ? null : () => onFork(false)}
          onClose={close}
          within={faultInDialog("Commands", close)}
        />
      );
    default:
      return (
        <SourceDialog
          trace={trace}
          onClose={close}
          onRun={dialog === "rerun" ? () => onFork(true) : null}
          within={faultInDialog("The mods of this run", close)}
        />
      );
  }
}

interface LinkBarProps {
  readonly model: string;
  readonly page: PageStores;
  readonly isReading: boolean;
  readonly onDialog: (dialog: "share" | "help") => void;
}

function LinkBar({ model, page, isReading, onDialog }: LinkBarProps) {
  return (
    <header className="bar">
      <Logo />
      <p className="link-model">{showInvisibleCharacters(model)}</p>
      <div className="bar-end">
        <IconButton
          icon="share"
          label="Share this run"
          disabled={isReading}
          onClick={() => onDialog("share")}
        />
        <ThemeButton settings={page.settings} />
        <IconButton icon="help" label="Shortcuts" onClick={() => onDialog("help")} />
      </div>
    </header>
  );
}

function LinkIntro({ run }: { run: SharedRunStore }) {
  return (
    <div className="link-intro">
      <p>In Midtoken, scripts called mods edit a language model’s text as it is written.</p>
      <LinkLegend run={run} placeholder={<div className="link-legend" />} />
    </div>
  );
}

function OpenInTab() {
  return (
    <a className="button" href={location.href} target="_blank" rel="noopener noreferrer">
      Open in its own tab
    </a>
  );
}

function NothingRecorded() {
  return <p className="inspector-empty">The run ended before its first token.</p>;
}
