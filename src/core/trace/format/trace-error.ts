/** Errors for a trace, a trace file or a link that cannot be opened, or a trace too large to be shared. */

import { recogniseCopies } from "../../base/recognise-copies.ts";

/** Says what is wrong with which value, and what to do. */
export class TraceError extends Error {
  static {
    recogniseCopies(TraceError, "TraceError");
  }
  override name = "TraceError";
}

/** A trace that is sound for all one knows, but of a newer Midtoken than this copy. */
export class TraceVersionError extends TraceError {
  static {
    recogniseCopies(TraceVersionError, "TraceVersionError");
  }
  override name = "TraceVersionError";
}
