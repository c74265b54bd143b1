/** Limits for a live run: the most that each end accepts from the other. */
export const liveLimits = {
  /** Bytes of a frame, its first byte included: all combinations of browsers send 16 KB in one piece. */
  frameBytes: 16_384,
  /** Bytes of a message from the sharer. A message may fill many frames; a trace event is never split over messages. */
  messageBytes: 4 * 1_048_576,
  /** Bytes of a message from a watcher: a greeting or a confirmation. */
  watcherMessageBytes: 1_024,
  /** UTF-16 units of all records of one run. A token with ten top tokens and three mod calls takes about 2,000. */
  runCharacters: 64 * 1_048_576,
  /**
   * Flow control. The sharer stops sending while `messages` messages or `bytes` bytes are unconfirmed. A watcher ends the
   * connection if more than this, plus one whole message and `slack` messages, waits to be read.
   */
  unconfirmed: { messages: 128, bytes: 262_144, slack: 8 },
  /** A watcher confirms after this many messages or bytes. */
  confirmAfter: { messages: 32, bytes: 65_536 },
  /** How fast a sharer sends messages of one frame to one watcher. */
  sendPace: { atOnce: 32, perSecond: 30 },
  /**
   * How fast a watcher accepts messages of one frame. More than `sendPace`, because networks hold messages back and deliver them
   * together.
   */
  acceptPace: { atOnce: 320, perSecond: 60 },
  /** Messages of one frame that a watcher accepts over one connection: 92 hours at `sendPace`. */
  messagesInAll: 10_000_000,
  /** Watchers that may be connected at the same time. */
  watchers: 32,
  /** Connections whose watcher has not sent its greeting. A further connection replaces the oldest. */
  ungreeted: 32,
  /** Milliseconds within which a watcher must send its greeting. */
  greetingMs: 5_000,
} as const;

/** An error of the page that shares a live run, or of a page that watches it. The message says what happened, and what to do. */
export class LiveError extends Error {
  override name = "LiveError";
}
