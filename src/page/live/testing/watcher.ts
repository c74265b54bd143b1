/** A watcher for tests: greets as the page does, and remembers what it saw. */
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { Connection } from "../connection.ts";
import { splitIntoFrames } from "../framing.ts";
import { createWatcherInbox } from "../inbox.ts";
import { createWatcherProof, verifySharerProof } from "../proof.ts";
import { LIVE_VERSION, serializeMessage, type WatcherMessage } from "../protocol.ts";
import { createSharerMessageReader } from "../watching.ts";

export interface WatcherLog {
  readonly runs: { readonly records: TraceRecord[]; failure?: string | null }[];
  isPaused: boolean;
  over: string | null;
  /** The error that ended the connection. */
  fault: unknown;
  isClosed: boolean;
}

/** In a test every watcher may have the same nonce. */
const nonce = "0123456789abcdef".repeat(2);

export const greetingTo = (room: string, binding: string): string =>
  serializeMessage({
    type: "watch",
    live: LIVE_VERSION,
    nonce,
    proof: createWatcherProof({ room, binding, nonce }),
  });

export function sendWatcherMessage(connection: Connection, message: WatcherMessage | string): void {
  const text = typeof message === "string" ? message : serializeMessage(message);
  for (const frame of splitIntoFrames(text)) connection.send(frame);
}

const rooms = new WeakMap<Connection, string>();

/** Everything that came over the connection so far. */
export function createWatcherLog(connection: Connection, room: string): WatcherLog {
  rooms.set(connection, room);
  const seen: WatcherLog = { runs: [], isPaused: false, over: null, fault: null, isClosed: false };
  const read = createSharerMessageReader(
    {
      run: () => void seen.runs.push({ records: [] }),
      records: (records) => void seen.runs.at(-1)?.records.push(...records),
      paused(isPaused) {
        seen.isPaused = isPaused;
      },
      ended(failure) {
        const run = seen.runs.at(-1);
        if (run) run.failure = failure;
      },
      over(why) {
        seen.over = why;
      },
    },
    (proof) => verifySharerProof(proof, { room, binding: connection.binding, nonce }),
  );
  connection.listen(
    createWatcherInbox({
      read,
      confirm: (messages) => sendWatcherMessage(connection, { type: "taken", messages }),
      fail(cause) {
        seen.fault = cause;
        connection.cut();
      },
      closed() {
        seen.isClosed = true;
      },
    }),
  );
  return seen;
}

/** Greets the sharer as one who has the link. */
export function greet(connection: Connection): void {
  sendWatcherMessage(connection, greetingTo(rooms.get(connection) ?? "", connection.binding));
}
