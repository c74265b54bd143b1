/** The requests of an engine with their records: all that wait or run, and the last ones that have ended. */
import { importProgramPart } from "../../core/base/import-part.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "../../core/trace/format/format.ts";
import { ApiError } from "./api-error.ts";
import type { RequestEvent, RequestInfo, RequestStatus, Requests } from "./midtoken-engine.ts";
import { estimateMemoryOfData } from "./record-memory.ts";
import type { SharedTraceStore } from "./store/stored-traces.ts";

interface Kept {
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
  readonly archive?: SharedTraceStore | null;
}

type Listener = (event: RequestEvent) => void;

export class RequestStore implements Requests {
  readonly #keep: number;
  readonly #viewer: string;
  readonly #bytes: number;
  readonly #archive: SharedTraceStore | null;
  /** The requests by id, oldest first. */
  readonly #requests = new Map<string, Kept>();
  readonly #listeners = new Set<{ readonly listener: Listener; readonly id: string | undefined }>();

  constructor({ keep, viewer, bytes = mostBytes, archive = null }: RequestStoreOptions) {
    this.#keep = keep;
    this.#viewer = viewer;
    this.#bytes = bytes;
    this.#archive = archive;
  }

  add(info: RequestInfo, cancel: () => void): void {
    this.#requests.set(info.id, { info, records: [], bytes: 0, cancel });
    this.#tell({ type: "status", request: info });
  }

  record(id: string, records: readonly TraceRecord[]): void {
    const kept = this.#requests.get(id);
    if (!kept) return;
    for (const record of records) {
      kept.records.push(record);
      kept.bytes += estimateMemoryOfData(record);
    }
    this.#tell({ type: "records", request: kept.info, records });
  }

  setStatus(id: string, status: RequestStatus, error: Error | null = null): void {
    const kept = this.#requests.get(id);
    if (!kept || isOver(kept.info) || kept.info.status === status) return;
    kept.info = { ...kept.info, status, error };
    if (isOver(kept.info)) this.#forget();
    this.#tell({ type: "status", request: kept.info });
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
    if (!isOver(info)) {
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
    if (!isOver(info)) cancel();
  }

  cancelAll(): void {
    for (const { info, cancel } of this.#requests.values()) if (!isOver(info)) cancel();
  }

  #get(id: string): Kept {
    const kept = this.#requests.get(id);
    if (kept) return kept;
    throw new ApiError(
      `There is no request "${id}": it never existed, or it is no longer stored. The engine stores the last ${this.#keep} requests, up to ${this.#bytes / 2 ** 20} MB of records. Raise keepRequests, or save the trace when a request ends.`,
      { status: 404, type: "not_found_error", code: "request_not_found" },
    );
  }

  /** Drops the oldest ended requests until their number and bytes are within the limits. */
  #forget(): void {
    const over = [...this.#requests].filter(([, { info }]) => isOver(info));
    let bytes = over.reduce((sum, [, kept]) => sum + kept.bytes, 0);
    for (const [place, [id, kept]] of over.entries()) {
      const count = over.length - place;
      if (count <= this.#keep && (bytes <= this.#bytes || count === 1)) return;
      bytes -= kept.bytes;
      this.#requests.delete(id);
    }
  }

  /** Calls the listeners. If one throws, the others are still called, and the request continues. */
  #tell(event: RequestEvent): void {
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

function isOver({ status }: RequestInfo): boolean {
  return status === "finished" || status === "failed";
}
