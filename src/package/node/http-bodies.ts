/**
 * Converts bodies between Node's sockets and streams: a request's body to a stream; a response's body to the socket, as fast
 * as the client reads.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface RequestBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Stops reading. The socket stays open, so that the client can get a response. */
  release(): void;
}

/**
 * The body of a request as a stream, which reads only as fast as its consumer. Cancelling the stream stops reading, as
 * `release` does.
 */
export function bodyOf(incoming: IncomingMessage): RequestBody {
  let release = (): void => undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onData = (bytes: Uint8Array): void => {
          controller.enqueue(new Uint8Array(bytes));
          incoming.pause();
        };
        const end = (): void => {
          release();
          controller.close();
        };
        const fail = (): void => {
          release();
          controller.error(new DOMException("The client has disconnected.", "AbortError"));
        };
        release = () => {
          incoming.off("data", onData).off("end", end).off("close", fail).off("error", fail);
        };
        // Node reports a client that leaves as an error of the request, even after `release`.
        incoming.on("error", () => undefined);
        incoming.pause().on("data", onData).on("end", end).on("close", fail).on("error", fail);
      },
      pull: () => void incoming.resume(),
      cancel: () => release(),
    },
    { highWaterMark: 0 },
  );
  return { stream, release: () => release() };
}

/** The most bytes of a request that are read and discarded, so that the client can read the response. */
const mostDiscarded = 64 * 1_048_576;

/** Reads and discards the rest of a request. Settles after `ms` milliseconds at the latest. */
export function discardRest(incoming: IncomingMessage, ms: number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const onData = (bytes: Uint8Array): void => {
      count += bytes.length;
      if (count > mostDiscarded) finish();
    };
    const finish = (): void => {
      clearTimeout(timer);
      incoming.pause().off("data", onData).off("end", finish).off("close", finish).off("error", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    incoming.on("data", onData).on("end", finish).on("close", finish).on("error", finish).resume();
  });
}

export interface SendResponseOptions {
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  /** Milliseconds that a client may take to read a piece before its connection is closed. */
  readonly unread: number;
}

/** Sends the response. Reads its body only as fast as the client reads. */
export async function sendResponse(
  response: Response,
  outgoing: ServerResponse,
  { signal, unread }: SendResponseOptions,
): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body) {
    const reader = response.body.getReader();
    const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
    signal.addEventListener("abort", cancel);
    if (signal.aborted) cancel();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) break;
      if (!outgoing.write(value)) await drained(outgoing, unread);
    }
    signal.removeEventListener("abort", cancel);
  }
  // If the client has left, its connection is closed, and Node would never report the end of this response.
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    outgoing.on("close", resolve).end(resolve);
  });
}

/** Settles when the client has read the written data, or has left. */
function drained(outgoing: ServerResponse, unread: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), unread);
    const done = () => {
      clearTimeout(timer);
      outgoing.off("drain", done).off("close", done);
      resolve();
    };
    outgoing.on("drain", done).on("close", done);
  });
}
