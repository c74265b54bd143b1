/** A shared run, read without model, editor or engine: nothing is run and nothing is fetched. */
import { type ReactNode, useEffect, useState } from "react";
import { useStore } from "zustand";
import type { Steps } from "../../base/steps.ts";
import { leftOutSentences } from "../../trace/left-out.ts";
import { openingModel } from "../../trace/opening-model.ts";
import { decodingPermalink } from "../../trace/permalink.ts";
import { TraceVersionError } from "../../trace/trace-error.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { visibleText } from "../../trace/visible-text.ts";
import { HelpDialog } from "../help-dialog.tsx";
import { SaveButton } from "../history/save-button.tsx";
import { useKeys } from "../keys.ts";
import { ReadPane } from "../read/read-pane.tsx";
import { runInSlices, runSlice } from "../store/in-slices.ts";
import { aboutOf, createRunStore } from "../store/run-store.ts";
import { keepSelectionInAddress } from "../store/selection-address.ts";
import type { PageStores } from "../store/stores.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { Logo } from "../ui/logo.tsx";
import { ShareDone } from "../ui/share-done.tsx";
import { ThemeButton } from "../ui/theme-button.tsx";
import { isFramedByAnother } from "./framed.ts";
import { leaveForPlayground } from "./hand-over.ts";
import { ShareDialog } from "./share-dialog.tsx";
import { SourceDialog } from "./source-dialog.tsx";
import "../bar/bar.css";
import "./link-view.css";

interface LinkViewProps {
  readonly page: PageStores;
  /** The fragment of the address, with its `#`. */
  readonly hash: string;
}

export function LinkView({ page, hash }: LinkViewProps) {
  const [{ steps, first }] = useState(() => begin(hash));
  const [opened, setOpened] = useState(first);
  if (opened instanceof Error) return <BrokenLink page={page} error={opened} />;
  if (opened) return <SharedRun page={page} run={opened} />;
  return <ReadingLink page={page} steps={steps} characters={hash.length} onEnd={setOpened} />;
}

/** Nearly every link is read within the first slice, and is drawn at once. */
function begin(hash: string): { steps: Steps<TraceModel>; first: SharedRunStore | Error | null } {
  const steps = openingModel(reading(hash));
  try {
    const slice = runSlice(steps);
    return { steps, first: slice.done ? runOf(slice.value) : null };
  } catch (cause) {
    return { steps, first: asError(cause) };
  }
}

/** The steps begin inside, so that what the link is refused for at once is an error of theirs as any other. */
function* reading(hash: string) {
  return yield* decodingPermalink(hash);
}

function runOf(model: TraceModel) {
  const run = createRunStore(null);
  run.getState().show(model);
  return run;
}

type SharedRunStore = ReturnType<typeof runOf>;

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

interface ReadingLinkProps {
  readonly page: PageStores;
  readonly steps: Steps<TraceModel>;
  readonly characters: number;
  readonly onEnd: (opened: SharedRunStore | Error) => void;
}

/** A link that is short and holds much, or is long: the page says how far it is read, and it can be stopped and gone on with. */
function ReadingLink({ page, steps, characters, onEnd }: ReadingLinkProps) {
  const [share, setShare] = useState(0);
  const [isStopped, setStopped] = useState(false);
  useEffect(() => {
    if (isStopped) return;
    const stop = new AbortController();
    runInSlices(steps, { signal: stop.signal, onProgress: setShare })
      .then(runOf, asError)
      .then((opened) => {
        if (!stop.signal.aborted) onEnd(opened);
      });
    return () => stop.abort();
  }, [steps, isStopped, onEnd]);
  return (
    <FrontPage page={page} isBusy={!isStopped}>
      <h2>{isStopped ? "Stopped" : "Opening a long run"}</h2>
      <ShareDone
        what={`Reading and checking the link (${formatCount(characters)} characters)`}
        share={share}
      />
      <p>Nothing is run.</p>
      <p className="fault-actions">
        <Button weight="primary" onClick={() => setStopped(!isStopped)}>
          {isStopped ? "Read on" : "Stop"}
        </Button>
        <a className="button" href="./#">
          To the playground
        </a>
      </p>
    </FrontPage>
  );
}

function SharedRun({ page, run }: { page: PageStores; run: SharedRunStore }) {
  const [dialog, setDialog] = useState<"share" | "help" | "source" | "rerun" | null>(null);
  const { trace } = run.getState();
  useEffect(() => keepSelectionInAddress(run, page.notices.getState().show), [run, page]);
  useKeys(
    { run, settings: page.settings },
    { help: () => setDialog("help"), share: () => setDialog("share") },
  );
  const notes = [...trace.leftOut].map((kind) => leftOutSentences[kind]);
  const kept = useStore(run, (state) => state.kept);
  const leave = (runs: boolean) => leaveForPlayground(trace, aboutOf(run.getState()), runs);
  const isFramed = isFramedByAnother(window);
  return (
    <div className="link-view">
      <header className="bar">
        <Logo />
        <p className="link-model">{visibleText(trace.request?.model.id ?? "")}</p>
        <div className="bar-end">
          <IconButton icon="share" label="Share this run" onClick={() => setDialog("share")} />
          <ThemeButton settings={page.settings} />
          <IconButton icon="help" label="Keys" onClick={() => setDialog("help")} />
        </div>
      </header>
      <aside className="link-banner" aria-label="About this record">
        <p>
          <strong>Recorded by someone else. Nothing has run.</strong>{" "}
          {notes.length > 0 && <span title={notes.join(" ")}>Some parts were left out.</span>}{" "}
          {isFramed && "Another site shows this page: to run or change it, open it in a tab of its own."}
        </p>
        <div className="link-actions">
          {(trace.request?.mods.length ?? 0) > 0 && (
            <Button weight="quiet" onClick={() => setDialog("source")}>
              Show the mods
            </Button>
          )}
          {isFramed ? (
            <a className="button" href={location.href} target="_blank" rel="noopener noreferrer">
              Open in a tab of its own
            </a>
          ) : (
            <>
              <SaveButton
                isSaved={kept === "listed"}
                notices={page.notices}
                save={(saving) => saving.saveFromLink(page, run)}
              />
              <Button onClick={() => setDialog("rerun")}>Re-run here</Button>
              <Button onClick={() => leave(false)}>Fork to editor</Button>
            </>
          )}
        </div>
      </aside>
      <main className="link-main">
        <ReadPane
          run={run}
          settings={page.settings}
          onOpenSource={() => setDialog("source")}
          onBranch={null}
          empty={<NothingRecorded />}
        />
      </main>
      {dialog === "share" && <ShareDialog run={run} onClose={() => setDialog(null)} />}
      {dialog === "help" && <HelpDialog settings={page.settings} onClose={() => setDialog(null)} />}
      {(dialog === "source" || dialog === "rerun") && (
        <SourceDialog
          trace={trace}
          onClose={() => setDialog(null)}
          onRun={dialog === "rerun" ? () => leave(true) : null}
        />
      )}
    </div>
  );
}

function NothingRecorded() {
  return <p className="inspector-empty">The record holds no text: the run ended before its first token.</p>;
}

function BrokenLink({ page, error }: { page: PageStores; error: Error }) {
  const isNewer = error instanceof TraceVersionError;
  return (
    <FrontPage page={page}>
      <h2>{isNewer ? "This link is of a newer Midtoken" : "This link cannot be opened"}</h2>
      <p>{error.message}</p>
      <p>Nothing has run, and nothing of yours has changed.</p>
      <p className="fault-actions">
        {isNewer && (
          <Button weight="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        <a className={isNewer ? "button" : "button button-primary"} href="./#">
          To the playground
        </a>
      </p>
    </FrontPage>
  );
}

interface FrontPageProps {
  readonly page: PageStores;
  readonly isBusy?: boolean;
  readonly children: ReactNode;
}

/** In place of a run that cannot be read, or not yet. */
function FrontPage({ page, isBusy = false, children }: FrontPageProps) {
  return (
    <div className="link-view">
      <header className="bar">
        <Logo />
        <div className="bar-end">
          <ThemeButton settings={page.settings} />
        </div>
      </header>
      <main className="fault" aria-busy={isBusy}>
        {children}
      </main>
    </div>
  );
}
