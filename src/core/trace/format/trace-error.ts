/** Errors for a trace, a trace file or a link that cannot be opened, and for a trace that is too large to share. */

import { acceptInstancesOfCopies } from "../../base/recognise-copies.ts";

/** The message says what is wrong, with which value, and what to do. */
export class TraceError extends Error {
  static {
    acceptInstancesOfCopies(TraceError, "TraceError");
  }
  override name = "TraceError";
}

/** A trace that may be valid, but comes from a newer Midtoken than this copy. */
export class TraceVersionError extends TraceError {
  static {
    acceptInstancesOfCopies(TraceVersionError, "TraceVersionError");
  }
  override name = "TraceVersionError";
}
