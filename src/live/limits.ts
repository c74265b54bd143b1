/** The most that either end of a live run takes from the other. */
export const liveLimits = {
  /** Bytes of a frame, its head included: browsers carry 16 KB whole in every combination. */
  frameBytes: 16_384,
  /** Bytes of a message, which may come in many frames. One record is never split. */
  messageBytes: 4 * 1_048_576,
  /** The same of what a watcher sends, who has nothing to say but its greeting. */
  greetingBytes: 1_024,
  /** UTF-16 units of all records of one run. A token with ten alternatives and three calls of mods has some 2,000. */
  runCharacters: 64 * 1_048_576,
  /** Watchers at once. */
  watchers: 32,
  /** Milliseconds in which whoever connects has to greet. */
  greetingMs: 10_000,
} as const;

/** What went wrong between two ends of a live run. Says what happened, and what to do. */
export class LiveError extends Error {
  override name = "LiveError";
}
