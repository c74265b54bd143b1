/** The requests of an engine, with their records: those that wait or run, and the last ones that ended. */
import { importPart } from "../base/import-part.ts";
import { TRACE_VERSION, type Trace, type TraceRecord } from "../trace/format.ts";
import { ApiError } from "./api-error.ts";
import type { RequestEvent, RequestInfo, RequestStatus, Requests } from "./midtoken-engine.ts";

interface Kept {
  info: RequestInfo;
  readonly records: TraceRecord[];
  readonly cancel: () => void;
}

type Listener = (event: RequestEvent) => void;

export class RequestStore implements Requests {
  readonly #keep: number;
  readonly #viewer: string;
  /** By their ids, oldest first. */
  readonly #requests = new Map<string, Kept>();
  readonly #listeners = new Set<{ readonly listener: Listener; readonly id: string | undefined }>();

  /** `keep`: so many of those that ended. `viewer`: address of a page that shows links. */
  constructor({ keep, viewer }: { readonly keep: number; readonly viewer: string }) {
    this.#keep = keep;
    this.#viewer = viewer;
  }

  add(info: RequestInfo, cancel: () => void): void {
    this.#requests.set(info.id, { info, records: [], cancel });
    this.#tell({ type: "status", request: info });
  }

  record(id: string, records: readonly TraceRecord[]): void {
    const kept = this.#requests.get(id);
    if (!kept) return;
    for (const record of records) kept.records.push(record);
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

  async trace(id: string): Promise<Trace> {
    const { info, records } = this.#get(id);
    if (records.at(-1)?.type === "finished") return { version: TRACE_VERSION, records: [...records] };
    if (!isOver(info)) {
      throw new ApiError(
        `The request "${id}" is still ${info.status === "waiting" ? "waiting" : "running"}: its trace is there once it has ended. Subscribe to it for its records so far.`,
        { status: 409, type: "conflict_error", code: "request_not_finished" },
      );
    }
    throw new ApiError(
      `The request "${id}" has no trace, because it did not run to an end: ${info.error?.message ?? "it was cancelled before it began"}`,
      { status: 404, type: "not_found_error", code: "trace_not_found" },
    );
  }

  async traceFile(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const trace = await this.trace(id);
    const { encodeTraceFile } = await importPart(
      "What writes trace files",
      () => import("../trace/codec.ts"),
      "encodeTraceFile",
    );
    return encodeTraceFile(trace);
  }

  async permalink(id: string, viewer = this.#viewer): Promise<string> {
    const trace = await this.trace(id);
    const { encodePermalink } = await importPart(
      "What writes links",
      () => import("../trace/permalink.ts"),
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
      `There is no request "${id}": it never was, or it is not among the last ${this.#keep} that ended. Keep more with keepRequests.`,
      { status: 404, type: "not_found_error", code: "request_not_found" },
    );
  }

  /** Drops the oldest of those that ended. */
  #forget(): void {
    const over = [...this.#requests].filter(([, { info }]) => isOver(info));
    for (const [id] of over.slice(0, Math.max(0, over.length - this.#keep))) this.#requests.delete(id);
  }

  /** A listener that throws keeps no other from hearing, nor the request from going on. */
  #tell(event: RequestEvent): void {
    for (const { listener, id } of [...this.#listeners]) {
      if (id !== undefined && id !== event.request.id) continue;
      try {
        listener(event);
      } catch (error) {
        // As the browser's own events do: it is the listener's error, and its author should see it.
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
