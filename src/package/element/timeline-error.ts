/** The element's error if a run cannot be shown. The message says what happened, with which value, and what to do. */
export class TimelineError extends Error {
  override readonly name = "TimelineError";
}
