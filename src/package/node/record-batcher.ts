/**
 * Sends the records of all requests in few messages. Each message wakes the main thread, which writes to its clients, and
 * this takes longer than a fast model server takes for a token. Records wait for the end of the event loop's turn, and until
 * `leastMs` have passed since the previous message. Tokens of a model that takes longer than `leastMs` for a token do not
 * wait, and the first token of a request waits for the end of the turn alone.
 */
import type { Transferred } from "../../core/base/transferred.ts";
import type { EngineMessage } from "../../runtime/session/shared/protocol.ts";

type Post = (messages: readonly EngineMessage[], transfer: Transferred[]) => void;

/**
 * The shortest time between two messages of records, in milliseconds: the same as between two turns of a model in this
 * process (`run-control.ts`).
 */
const leastMs = 12;

/** When gathered records are sent. */
export interface BatchTimers {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly afterTurn: (work: () => void) => void;
  readonly afterMs: (work: () => void, ms: number) => void;
}

const nodeTimes: BatchTimers = {
  now: () => performance.now(),
  afterTurn: setImmediate,
  afterMs: setTimeout,
};

/** Returns a function that gathers records. Every other message is sent at once, together with the records before it. */
export function createRecordBatcher(
  post: Post,
  { now, afterTurn, afterMs }: BatchTimers = nodeTimes,
): (message: EngineMessage, transfer: Transferred[]) => void {
  let waiting: EngineMessage[] = [];
  let sentAt = Number.NEGATIVE_INFINITY;
  let isWaiting = false;
  /** Requests whose first token was sent, or waits to be sent. */
  const begun = new Set<string>();
  const flush = (transfer?: Transferred[]): void => {
    if (waiting.length === 0) return;
    const gathered = waiting;
    waiting = [];
    if (gathered[0]?.type === "records") sentAt = now();
    post(gathered, transfer ?? []);
  };
  const flushLater = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    const work = (): void => {
      isWaiting = false;
      flush();
    };
    const ms = sentAt + leastMs - now();
    if (ms > 0) afterMs(work, ms);
    else afterTurn(work);
  };
  return (message, transfer) => {
    waiting.push(message);
    if (message.type !== "records") {
      if (message.type === "ended" && typeof message.of === "string") begun.delete(message.of);
      flush(transfer);
      return;
    }
    const { requestId, records } = message;
    const isFirstToken = !begun.has(requestId) && records.some(({ type }) => type === "added");
    if (isFirstToken) {
      begun.add(requestId);
      afterTurn(flush);
    } else flushLater();
  };
}
