/** The sources that a timeline can show. Types only. */

import type { Trace } from "../../core/trace/format/format.ts";
import type { Requests } from "../api/midtoken-engine.ts";

/** Whatever has requests to follow: what `createEngine` gives, or an object of one's own that answers the same calls. */
export interface RequestsOwner {
  readonly requests: Pick<Requests, "list" | "subscribe">;
}

/** A file that holds a run: `.trace`, or a picture or page that Midtoken saved; its bytes count, not its name. */
export type TraceFile = Blob | ArrayBuffer | Uint8Array;

export type TimelineSource =
  /** A permalink, its fragment alone (`#t1.…`), or the address of a file. */
  | { readonly type: "address"; readonly address: string }
  | { readonly type: "file"; readonly file: TraceFile }
  /** From `midtoken/trace`, or from JSON: it is checked as a file is. */
  | { readonly type: "trace"; readonly trace: Trace }
  /** `id` null: the newest request, and from then on each one that begins. */
  | { readonly type: "request"; readonly engine: RequestsOwner; readonly id: string | null };
