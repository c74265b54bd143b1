/**
 * Keeps the run of this tab in the browser, so that it is still there when the user leaves the page and comes back. While a
 * run goes on, its new records are written twice a second as a piece. When the run ends, the whole run is written and its
 * pieces are removed. So a page that finds pieces was left in the middle of a run.
 */
import { messageOf } from "../../base/message-of.ts";
import { decodingTraceFile, encodingTraceFile } from "../../trace/codec.ts";
import { TRACE_VERSION, type TraceRecord } from "../../trace/format.ts";
import { openingModel, withoutNotes } from "../../trace/opening-model.ts";
import { parsing } from "../../trace/parse.ts";
import type { TraceModel } from "../../trace/trace-model.ts";
import { traceOf } from "../../trace/trace-view.ts";
import { closeInterrupted } from "./close-interrupted.ts";
import { runInSlices, type SliceOptions } from "./in-slices.ts";
import type { RunState, ShownRun } from "./run-store.ts";
import type { RunTable } from "./run-table.ts";
import type { Stores } from "./stores.ts";

interface KeptRun {
  /** A blob where the run was opened from a file, which is kept as it is. */
  readonly bytes: Uint8Array<ArrayBuffer> | Blob;
  readonly modIds: readonly string[];
  /** Missing in runs that earlier versions of the page kept. */
  readonly recorded?: boolean;
  readonly interrupted?: boolean;
  /** Milliseconds since 1970. */
  readonly savedAt?: number;
}

interface KeptPiece {
  /** The version of the trace format, since an earlier version of the page may have written the piece. */
  readonly version: number;
  readonly records: readonly TraceRecord[];
  readonly modIds: readonly string[];
}

/** Key of the run that was kept last in any tab. A new tab shows that run. */
const latest = "last";
/** How many tabs have their runs kept; of more tabs, those with the latest runs. */
const mostTabs = 8;
const pieceEveryMs = 500;
const toldAfterMs = 800;
/** Why the reading of the last run ended, where the user ended it. */
const stopped = new Error("You stopped it. It is kept: reload the page to read it.");

export interface LastRunOptions {
  readonly table: RunTable;
  readonly tab: Promise<string>;
  /** Where the page tells that it is being left. */
  readonly events: Pick<EventTarget, "addEventListener" | "removeEventListener">;
}

/** Shows the run that was kept, and keeps each one that is shown, until the returned function is called. */
export function keepLastRun({ run, notices }: Stores, { table, tab, events }: LastRunOptions): () => void {
  let waiting: Promise<unknown> = Promise.resolve();
  /** Reads and writes run one after another, in the order in which they were asked for. */
  const queue = (what: "read" | "kept", act: (tab: string) => Promise<void>) => {
    const work = waiting.then(async () => act(await tab));
    waiting = work.catch((cause: unknown) =>
      notices.getState().show(`The last run could not be ${what} in this browser: ${messageOf(cause)}`),
    );
  };
  let saved: TraceModel | null = run.getState().trace;
  queue("read", async (id) => {
    const found = await findRun(table, id, readingNotice(notices));
    if (!found || run.getState().status !== "empty") return;
    saved = found.isKeptWhole ? found.trace : null;
    run.getState().show(found.trace, found.about);
  });
  const pieces = createPieces((entry, isFirst) =>
    queue("kept", (id) =>
      table.write([[`piece/${id}/${entry.key}`, entry.piece]], isFirst ? [`piece/${id}/`] : []),
    ),
  );
  const onChange = (state: RunState) => {
    const { status, trace } = state;
    if (status === "running" || status === "paused") pieces.follow(state);
    if (status !== "finished" || trace === saved || trace.records.length === 0) return;
    saved = trace;
    // The page may be left before the whole is written, so that what is left of a run that was followed is written now.
    pieces.end();
    if (state.file) {
      queue("kept", (id) => writeWhole(table, id, state));
      return;
    }
    // Encoding takes a moment, so the page first gets to show that the run has ended.
    setTimeout(() => queue("kept", (id) => writeWhole(table, id, state)), 200);
  };
  const stop = run.subscribe(onChange);
  const leave = () => pieces.flush();
  for (const name of ["pagehide", "visibilitychange"]) events.addEventListener(name, leave);
  return () => {
    stop();
    for (const name of ["pagehide", "visibilitychange"]) events.removeEventListener(name, leave);
  };
}

interface Found {
  readonly isKeptWhole: boolean;
  readonly trace: TraceModel;
  readonly about: ShownRun;
}

/** The run that this tab was left in or showed last; in a new tab, the run kept last in any tab. */
async function findRun(table: RunTable, tab: string, slices: SliceOptions): Promise<Found | null> {
  const pieces = (await table.readAll(`piece/${tab}/`)).map(([, value]) => value as KeptPiece);
  const [first] = pieces;
  if (first) {
    const records = pieces.flatMap((piece) => piece.records);
    const isWhole = records.at(-1)?.type === "finished";
    const kept = { version: first.version, records: isWhole ? records : closeInterrupted(records) };
    const trace = await runInSlices(openingModel(withoutNotes(parsing(kept))), slices);
    const about = { modIds: first.modIds, recorded: false, interrupted: !isWhole, file: null };
    return { isKeptWhole: false, trace, about };
  }
  const kept = ((await table.read(`run/${tab}`)) ?? (await table.read(latest))) as KeptRun | undefined;
  if (!kept) return null;
  const { bytes, modIds, recorded = false, interrupted = false } = kept;
  const file = bytes instanceof Blob ? bytes : null;
  const trace = await runInSlices(
    openingModel(
      decodingTraceFile(bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes),
    ),
    slices,
  );
  return { isKeptWhole: true, trace, about: { modIds, recorded, interrupted, file } };
}

/** A reading that takes long is told, and can be stopped; what is kept stays. */
function readingNotice(notices: Stores["notices"]): SliceOptions {
  const text = "The last run is long: it is being read.";
  const stop = new AbortController();
  const begun = performance.now();
  let isTold = false;
  return {
    signal: stop.signal,
    onProgress() {
      if (isTold || performance.now() - begun < toldAfterMs) return;
      isTold = true;
      notices.getState().show(text, { label: "Stop", run: () => stop.abort(stopped) });
    },
  };
}

async function writeWhole(table: RunTable, tab: string, state: RunState): Promise<void> {
  const { trace, modIds, recorded, interrupted, file } = state;
  const bytes = file ?? (await runInSlices(encodingTraceFile(traceOf(trace), [...trace.leftOut])));
  const kept: KeptRun = { bytes, modIds, recorded, interrupted, savedAt: Date.now() };
  const others = (await table.readAll("run/"))
    .filter(([key]) => key !== `run/${tab}`)
    .sort(([, a], [, b]) => ((b as KeptRun).savedAt ?? 0) - ((a as KeptRun).savedAt ?? 0));
  const old = others.slice(mostTabs - 1).map(([key]) => key.slice("run/".length));
  const remove = [`piece/${tab}/`, ...old.flatMap((id) => [`run/${id}`, `piece/${id}/`])];
  await table.write(
    [
      [`run/${tab}`, kept],
      [latest, kept],
    ],
    remove,
  );
}

/** Cuts a growing trace into pieces. Each piece has the records since the piece before. */
function createPieces(write: (entry: { key: string; piece: KeptPiece }, isFirst: boolean) => void) {
  let followed: { trace: TraceModel; modIds: readonly string[]; written: number; pieces: number } | null =
    null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!followed) return;
    const { trace, modIds, written, pieces } = followed;
    const records = trace.records.slice(written);
    if (records.length === 0) return;
    followed.written += records.length;
    followed.pieces += 1;
    write(
      { key: String(pieces).padStart(8, "0"), piece: { version: TRACE_VERSION, records, modIds } },
      pieces === 0,
    );
  };
  return {
    flush,
    follow({ trace, modIds }: RunState) {
      if (followed?.trace !== trace) followed = { trace, modIds, written: 0, pieces: 0 };
      timer ??= setTimeout(flush, pieceEveryMs);
    },
    /** Writes what is left of the trace, and follows it no longer. */
    end() {
      flush();
      followed = null;
    },
  };
}
