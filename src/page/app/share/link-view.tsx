/** The page of a shared link. It shows the run without model, editor or engine, runs nothing and fetches nothing. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import { runInSlices, runSlice } from "../../../core/base/in-slices.ts";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import { startOpeningLink } from "../../../core/trace/file/opening-link.ts";
import type { TraceOpening } from "../../../core/trace/file/opening-model.ts";
import { createRedrawThrottle } from "../../../core/trace/file/opening-pace.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { formatCount } from "../../../view/ui/format.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { LazyReadingBanner } from "../read/lazy-reading-banner.tsx";
import type { PageStores } from "../store/page-stores.ts";
import { createRunStore } from "../store/run-store.ts";
import { createImportedRunFields, shownRunFieldsOf } from "../store/shown-run.ts";
import { UnreadLinkPage } from "./front-page.tsx";
import type { PlaygroundHandOver } from "./hand-over.ts";
import { SharedRun, type SharedRunStore } from "./shared-run.tsx";

/** Fetched when a link is refused, and saved with the other files of a first visit. */
const BrokenLink = lazyPart({
  part: "The error message for this link",
  load: () => import("./broken-link.tsx"),
  component: "BrokenLink",
});

interface LinkViewProps {
  readonly page: PageStores;
  /** The fragment of the address, with its `#`. */
  readonly hash: string;
  /** Goes to the playground. */
  readonly leave: (handed: PlaygroundHandOver) => void;
}

export function LinkView({ page, hash, leave }: LinkViewProps) {
  const [link] = useState(() => begin(hash));
  const [error, setError] = useState(link.error);
  const [isStopped, setStopped] = useState(false);
  const isShown = useStore(link.run, ({ status }) => status !== "empty");
  useEffect(() => {
    if (!isStopped) return readOn(link, { onStop: () => setStopped(true), onError: setError });
  }, [link, isStopped]);
  if (error) return <BrokenLink page={page} error={error} />;
  const onReadOn = isStopped ? () => setStopped(false) : null;
  const View = isShown ? SharedRun : ReadingLink;
  return <View page={page} onReadOn={onReadOn} leave={leave} run={link.run} />;
}

interface OpeningLink {
  readonly opening: TraceOpening<ResumableWork<TraceModel>>;
  readonly run: SharedRunStore;
  readonly what: string;
  /** The error if the link was refused at once. */
  readonly error: Error | null;
}

/**
 * Milliseconds of the first slice, in which nearly every link is read completely and then drawn at once. The page shows nothing
 * yet that could freeze, and the reading code is slow until the browser has compiled it.
 */
const firstSliceMs = 40;

function begin(hash: string): OpeningLink {
  const link = {
    opening: startOpeningLink(hash),
    run: createRunStore(null),
    what: `Reading and checking the link (${formatCount(hash.length)} characters)`,
  };
  try {
    const slice = runSlice(link.opening.steps, firstSliceMs);
    if (slice.done) link.run.getState().show(slice.value);
    return { ...link, error: null };
  } catch (cause) {
    return { ...link, error: asError(cause) };
  }
}

/**
 * Reads a link with a long run: the page shows its first records while the rest is read. @returns a function that stops
 * reading; the next call continues.
 */
function readOn(
  { opening, run, what, error }: OpeningLink,
  { onStop, onError }: { readonly onStop: () => void; readonly onError: (error: Error) => void },
): (() => void) | undefined {
  if (error || run.getState().status === "finished") return undefined;
  const stop = new AbortController();
  const about =
    run.getState().status === "reading" ? shownRunFieldsOf(run.getState()) : createImportedRunFields();
  const share = run.getState().reading?.share ?? createStore<{ done: number | null }>(() => ({ done: 0 }));
  const isWorthShowing = createRedrawThrottle();
  const abandon = () => stop.abort();
  run.getState().setReading({ what, share, back: null, stop: onStop, abandon });
  const onProgress = (done: number) => {
    share.setState({ done });
    if (opening.model && isWorthShowing(opening.model, performance.now()))
      run.getState().showPart(opening.model, about);
  };
  const end = (model: TraceModel) => {
    run.getState().showPart(model, about);
    run.getState().endPart(null);
  };
  runInSlices(opening.steps, { signal: stop.signal, onProgress })
    .then(end)
    .catch((cause: unknown) => {
      if (!stop.signal.aborted) onError(asError(cause));
    });
  return abandon;
}

const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

interface ReadingLinkProps {
  readonly page: PageStores;
  readonly run: SharedRunStore;
  readonly onReadOn: (() => void) | null;
}

/** Shown until the first record is read. */
function ReadingLink({ page, run, onReadOn }: ReadingLinkProps) {
  return (
    <UnreadLinkPage page={page} isBusy={onReadOn === null}>
      <h2>{onReadOn ? "Reading stopped" : "Opening a long run"}</h2>
      <LazyReadingBanner run={run} onReadOn={onReadOn} />
      <p className="fault-actions">
        <a className="button" href="./#">
          Open the playground
        </a>
      </p>
    </UnreadLinkPage>
  );
}
