/** Keeps the last finished run in the browser, so that leaving and coming back loses nothing. IndexedDB: a run can be larger than localStorage holds. */
import { decodeTraceFile, encodeTraceFile } from "../../trace/codec.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { traceOf } from "../../trace/trace-view.ts";
import { messageOf } from "./model-store.ts";
import type { Stores } from "./stores.ts";

const database = "midtoken.v1";
const table = "runs";
const key = "last";

interface KeptRun {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly modIds: readonly string[];
}

/** Shows the run that was kept, and keeps each one that ends, until the returned function is called. */
export function keepLastRun({ run, notices }: Stores): () => void {
  const trouble = (what: string) => (cause: unknown) =>
    notices.getState().show(`The last run could not be ${what} in this browser: ${messageOf(cause)}`);
  read()
    .then((kept) => {
      if (!kept || run.getState().status !== "empty") return;
      const { trace, notes } = decodeTraceFile(kept.bytes);
      const model = createTraceModel(notes);
      model.append(trace.records);
      run.getState().show(model, kept.modIds);
    })
    .catch(trouble("read"));
  let saved = run.getState().trace;
  return run.subscribe(({ status, trace, modIds, recorded }) => {
    if (status !== "finished" || recorded || trace === saved || !trace.finished) return;
    saved = trace;
    const bytes = () => encodeTraceFile(traceOf(trace), [...trace.leftOut]);
    // Encoding takes a moment: the page first shows that the run has ended.
    setTimeout(() => {
      Promise.resolve()
        .then(() => write({ bytes: bytes(), modIds }))
        .catch(trouble("kept"));
    }, 200);
  });
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("The browser's database cannot be opened."));
    request.onblocked = () =>
      reject(new Error("Another tab holds the browser's database; close it and reload."));
  });
}

async function inTable<Value>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Value>,
): Promise<Value> {
  const opened = await open();
  try {
    return await new Promise((resolve, reject) => {
      const request = act(opened.transaction(table, mode).objectStore(table));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error("The browser's database refused."));
    });
  } finally {
    opened.close();
  }
}

function read(): Promise<KeptRun | undefined> {
  return inTable<KeptRun | undefined>("readonly", (store) => store.get(key));
}

async function write(run: KeptRun): Promise<void> {
  await inTable("readwrite", (store) => store.put(run, key));
}
