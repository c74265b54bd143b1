/** The sources that a timeline can show. Types only. */

import type { Trace } from "../../core/trace/format/format.ts";
import type { Requests } from "../api/midtoken-engine.ts";

/** The object whose requests can be followed: the result of `createEngine`, or any object with the same functions. */
export interface RequestsOwner {
  readonly requests: Pick<Requests, "list" | "subscribe">;
}

/** A file with a run: `.trace`, or a picture or page that Midtoken saved. Its bytes decide, not its name. */
export type TraceFile = Blob | ArrayBuffer | Uint8Array;

export type TimelineSource =
  /** A permalink, only its fragment (`#t1.…`), or the address of a file. */
  | { readonly type: "address"; readonly address: string }
  | { readonly type: "file"; readonly file: TraceFile }
  /** A trace from `midtoken/trace`, or from JSON. It is checked like a file. */
  | { readonly type: "trace"; readonly trace: Trace }
  /** `id` null: the newest request, and then each one that begins. */
  | { readonly type: "request"; readonly engine: RequestsOwner; readonly id: string | null };
