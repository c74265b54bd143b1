/**
 * Sends messages to one watcher, at the pace of `liveLimits.sendPace`, and only as much as the watcher's confirmations allow.
 * There is no queue: the sharer composes its next message when `ready` resolves.
 *
 * Example: 31 small messages (one frame each) go out at once; then `ready` waits for the pace of 30 a second. Messages of 32 KB
 * fill several frames and have no pace, but 8 of them are 256 KB: then `ready` waits until the watcher confirms one.
 *
 * `ready` always leaves room for two messages, because the sharer may send `run` and the first records after one wait.
 */
import { countWithNoun } from "../../core/base/number-text.ts";
import { createRateLimiter, type RateLimiter } from "./allowance.ts";
import type { Connection } from "./connection.ts";
import type { Frame } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";

export interface PacedSender {
  /** Sends one message immediately. */
  send(frames: readonly Frame[]): void;
  /** Resolves when two messages may be sent, or when the outbox is closed. */
  ready(): Promise<void>;
  /** The watcher has read so many messages. @throws LiveError if fewer messages were sent */
  taken(messages: number): void;
  close(): void;
}

const { unconfirmed, sendPace } = liveLimits;

export function createPacedSender(connection: Pick<Connection, "send">, now: () => number): PacedSender {
  const pace: RateLimiter = createRateLimiter(sendPace, now);
  /** Bytes of each unconfirmed message, in the order in which they were sent. */
  const sizes: number[] = [];
  let bytes = 0;
  let isClosed = false;
  let wake: () => void = () => {};
  const isFull = () => sizes.length > unconfirmed.messages - 2 || bytes >= unconfirmed.bytes;
  const wait = (ms: number | null) =>
    new Promise<void>((resolve) => {
      const timer = ms === null ? undefined : setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  return {
    send(frames) {
      const size = frames.reduce((sum, { length }) => sum + length, 0);
      sizes.push(size);
      bytes += size;
      if (frames.length === 1) pace.take();
      for (const frame of frames) connection.send(frame);
    },
    async ready() {
      while (!isClosed && isFull()) await wait(null);
      let ms = pace.waitMs(2);
      while (!isClosed && ms > 0) {
        await wait(ms);
        ms = pace.waitMs(2);
      }
    },
    taken(messages) {
      if (messages > sizes.length)
        throw new LiveError(
          `A watcher’s page says that it has read ${countWithNoun(messages, "message")}, but only ${sizes.length} ${sizes.length === 1 ? "was" : "were"} sent.`,
        );
      for (const size of sizes.splice(0, messages)) bytes -= size;
      if (!isFull()) wake();
    },
    close() {
      isClosed = true;
      wake();
    },
  };
}
