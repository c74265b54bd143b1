/** The most that each end of a live run accepts from the other. */
export const liveLimits = {
  /** Bytes of a frame with its first byte: browsers carry 16 KB in one piece in every combination. */
  frameBytes: 16_384,
  /** Bytes of a message from the sharer, which may fill many frames. A trace event is never split. */
  messageBytes: 4 * 1_048_576,
  /** Bytes of a message from a watcher: a greeting, or a confirmation of what it has read. */
  watcherMessageBytes: 1_024,
  /** UTF-16 units of all records of one run. A token with ten alternatives and three calls of mods has some 2,000. */
  runCharacters: 64 * 1_048_576,
  /**
   * The most that the sharer sends before the watcher confirms: it sends no further message once this many, or this
   * many bytes, are unconfirmed. A watcher ends the connection if more than this, one whole message and `slack` wait
   * to be read.
   */
  unconfirmed: { messages: 128, bytes: 262_144, slack: 8 },
  /** A watcher confirms after this many messages or bytes. */
  confirmAfter: { messages: 32, bytes: 65_536 },
  /** Messages of one frame that a sharer sends to one watcher: as many at once, then as many a second. */
  sendPace: { atOnce: 32, perSecond: 30 },
  /** Messages of one frame that a watcher accepts: above `sendPace`, since a network holds messages back and delivers them together. */
  acceptPace: { atOnce: 320, perSecond: 60 },
  /** Messages of one frame that a watcher accepts over one connection: 92 hours at the sharer's pace. */
  messagesInAll: 10_000_000,
  /** Watchers at the same time. */
  watchers: 32,
  /** Connections whose watcher has not greeted yet. A further one takes the place of the oldest. */
  ungreeted: 32,
  /** Milliseconds within which a watcher greets. */
  greetingMs: 5_000,
} as const;

/** A fault between the two ends of a live run. The message says what happened, and what to do. */
export class LiveError extends Error {
  override name = "LiveError";
}
