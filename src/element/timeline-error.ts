/** What the element says when a run cannot be shown. */

import { recogniseCopies } from "../base/recognise-copies.ts";

/** The message says what happened, with which value, and what to do. */
export class TimelineError extends Error {
  static {
    recogniseCopies(TimelineError, "TimelineError");
  }
  override readonly name = "TimelineError";
}
