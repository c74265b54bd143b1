/** A server that sends more than was asked for. */

const pieceBytes = 65_536;

export interface LongResponse {
  readonly fetch: typeof fetch;
  readonly seen: { sentBytes: number; cancelled: boolean };
}

/** Answers each request with spaces that end only after 64 MB, more than any reader should take. */
export function sendLongResponses(init: ResponseInit = {}): LongResponse {
  const seen = { sentBytes: 0, cancelled: false };
  const body = () =>
    new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (seen.sentBytes >= 64_000_000) return controller.close();
          seen.sentBytes += pieceBytes;
          controller.enqueue(new Uint8Array(pieceBytes).fill(0x20));
        },
        cancel() {
          seen.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
  return { fetch: async () => new Response(body(), init), seen };
}
