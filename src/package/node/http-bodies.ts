/** Bodies over sockets of Node: a request's as a stream, a response's as fast as the client reads. */
import type { IncomingMessage, ServerResponse } from "node:http";

export interface RequestBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Leaves the rest unread. The socket stays open, so that the client can be answered. */
  release(): void;
}

/** The body of a request, read as fast as the stream is. Cancelling the stream leaves the rest unread, as `release` does. */
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
        // Node reports a client that leaves as an error of the request, also after the release.
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

/** Bytes of a request that are thrown away, so that the client gets as far as reading the answer. */
const mostDiscarded = 64 * 1_048_576;

/** Reads what is left of a request and throws it away. Settles after `ms` at the latest. */
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

export interface Sending {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Milliseconds that a client may leave a piece unread before its connection is closed. */
  readonly unread: number;
}

/** Sends the response. No more is read of its body than the client takes. */
export async function send(
  response: Response,
  outgoing: ServerResponse,
  { signal, unread }: Sending,
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
  // The connection of a client that left is closed: Node reports no end of this answer.
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    outgoing.on("close", resolve).end(resolve);
  });
}

/** Settles when the client has read what was written, or is gone. */
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
