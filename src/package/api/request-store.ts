/** The requests of an engine with their records: all that wait or run, and the last ones that have ended. */
import { importProgramPart } from "../../core/base/import-part.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "../../core/trace/format/format.ts";
import { ApiError } from "./api-error.ts";
import type { RequestEvent, RequestInfo, RequestStatus, Requests } from "./midtoken-engine.ts";
import { estimateMemoryOfData } from "./record-memory.ts";
import type { CrossEngineTraceStore } from "./store/stored-traces.ts";

interface StoredRequest {
  info: RequestInfo;
  readonly records: TraceRecord[];
  /** Bytes of the records in memory. */
  bytes: number;
  readonly cancel: () => void;
}

/** The most bytes of memory for the records of all ended requests. The newest request stays, however large. */
const mostBytes = 256 * 2 ** 20;

export interface RequestStoreOptions {
  /** How many ended requests stay in memory. */
  readonly keep: number;
  /** Address of a page that shows links. */
  readonly viewer: string;
  /** By default `mostBytes`. */
  readonly bytes?: number;
  /** The store for traces of ended requests, including those of other engines. */
  readonly archive?: CrossEngineTraceStore | null;
}

type Listener = (event: RequestEvent) => void;

export class RequestStore implements Requests {
  readonly #maxCount: number;
  readonly #viewer: string;
  readonly #maxBytes: number;
  readonly #archive: CrossEngineTraceStore | null;
  /** The requests by id, oldest first. */
  readonly #requests = new Map<string, StoredRequest>();
  readonly #listeners = new Set<{ readonly listener: Listener; readonly id: string | undefined }>();

  constructor({ keep, viewer, bytes = mostBytes, archive = null }: RequestStoreOptions) {
    this.#maxCount = keep;
    this.#viewer = viewer;
    this.#maxBytes = bytes;
    this.#archive = archive;
  }

  add(info: RequestInfo, cancel: () => void): void {
    this.#requests.set(info.id, { info, records: [], bytes: 0, cancel });
    this.#notifyListeners({ type: "status", request: info });
  }

  record(id: string, records: readonly TraceRecord[]): void {
    const entry = this.#requests.get(id);
    if (!entry) return;
    for (const record of records) {
      entry.records.push(record);
      entry.bytes += estimateMemoryOfData(record);
    }
    this.#notifyListeners({ type: "records", request: entry.info, records });
  }

  setStatus(id: string, status: RequestStatus, error: Error | null = null): void {
    const entry = this.#requests.get(id);
    if (!entry || hasEnded(entry.info) || entry.info.status === status) return;
    entry.info = { ...entry.info, status, error };
    if (hasEnded(entry.info)) this.#dropOldest();
    this.#notifyListeners({ type: "status", request: entry.info });
  }

  list(): readonly RequestInfo[] {
    return [...this.#requests.values()].map(({ info }) => info);
  }

  subscribe(listener: Listener, id?: string): () => void {
    const entry = { listener, id };
    if (id !== undefined) {
      const { info, records } = this.#get(id);
      if (records.length > 0) listener({ type: "records", request: info, records: [...records] });
      listener({ type: "status", request: info });
    }
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  records(id: string): readonly TraceRecord[] {
    return [...this.#get(id).records];
  }

  /** Writes the trace of an ended request into the archive. Never rejects: the archive reports failures. */
  async save(id: string): Promise<void> {
    const records = this.#requests.get(id)?.records;
    if (records?.at(-1)?.type !== "finished") return;
    await this.#archive?.save(id, { version: TRACE_VERSION, records: [...records] });
  }

  async trace(id: string): Promise<Trace> {
    const archived = this.#requests.has(id) ? null : await this.#archive?.trace(id);
    if (archived) return archived;
    const { info, records } = this.#get(id);
    if (records.at(-1)?.type === "finished") return { version: TRACE_VERSION, records: [...records] };
    if (!hasEnded(info)) {
      throw new ApiError(
        `The request "${id}" is still ${info.status === "waiting" ? "waiting" : "running"}: its trace is available after the request has ended. To read the records so far, subscribe to the request.`,
        { status: 409, type: "conflict_error", code: "request_not_finished" },
      );
    }
    throw new ApiError(
      `The request "${id}" has no trace, because the request did not finish: ${info.error?.message ?? "it was cancelled before it began"}`,
      { status: 404, type: "not_found_error", code: "trace_not_found" },
    );
  }

  async traceFile(id: string): Promise<Uint8Array> {
    const archived = this.#requests.has(id) ? null : await this.#archive?.traceFile(id);
    if (archived) return archived;
    const trace = await this.trace(id);
    const { encodeTraceFile } = await importProgramPart(
      "The trace writer",
      () => import("../../core/trace/codec/codec.ts"),
      "encodeTraceFile",
    );
    return encodeTraceFile(trace);
  }

  async permalink(id: string, viewer = this.#viewer): Promise<string> {
    const trace = await this.trace(id);
    const { encodePermalink } = await importProgramPart(
      "The link writer",
      () => import("../../core/trace/file/permalink.ts"),
      "encodePermalink",
    );
    return viewer.replace(/#.*$/, "") + encodePermalink(trace).fragment;
  }

  cancel(id: string): void {
    const { info, cancel } = this.#get(id);
    if (!hasEnded(info)) cancel();
  }

  cancelAll(): void {
    for (const { info, cancel } of this.#requests.values()) if (!hasEnded(info)) cancel();
  }

  #get(id: string): StoredRequest {
    const entry = this.#requests.get(id);
    if (entry) return entry;
    throw new ApiError(
      `There is no request "${id}": it never existed, or it is no longer stored. The engine stores the last ${this.#maxCount} requests, up to ${this.#maxBytes / 2 ** 20} MB of records. Raise keepRequests, or save the trace when a request ends.`,
      { status: 404, type: "not_found_error", code: "request_not_found" },
    );
  }

  /** Drops the oldest ended requests until their number and bytes are within the limits. */
  #dropOldest(): void {
    const ended = [...this.#requests].filter(([, { info }]) => hasEnded(info));
    let bytes = ended.reduce((sum, [, entry]) => sum + entry.bytes, 0);
    for (const [place, [id, entry]] of ended.entries()) {
      const count = ended.length - place;
      if (count <= this.#maxCount && (bytes <= this.#maxBytes || count === 1)) return;
      bytes -= entry.bytes;
      this.#requests.delete(id);
    }
  }

  /** Calls the listeners. If one throws, the others are still called, and the request continues. */
  #notifyListeners(event: RequestEvent): void {
    for (const { listener, id } of [...this.#listeners]) {
      if (id !== undefined && id !== event.request.id) continue;
      try {
        listener(event);
      } catch (error) {
        // As with the browser's own events, a listener's error is thrown outside, so that it is reported.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function hasEnded({ status }: RequestInfo): boolean {
  return status === "finished" || status === "failed";
}
