/** Pieces of an answer as server-sent events, in the way of OpenAI: `data: JSON`, and `data: [DONE]` after the last one. */
import type { CompletionStream } from "../api/midtoken-engine.ts";
import { apiErrorOf } from "./http-error.ts";

/**
 * Waits for the first piece, so that a request that is refused or fails before it is answered with its own status. Pieces are
 * taken as fast as the reader reads; a reader that goes away ends the request.
 * @param signal of the client: whoever has aborted reads no more, and the stream ends with the error
 * @throws what the first piece throws
 */
export async function eventStream<Piece>(
  pieces: CompletionStream<Piece>,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = pieces[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let next: IteratorResult<Piece> | null = await iterator.next();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const send = (data: string): void => controller.enqueue(encoder.encode(`data: ${data}\n\n`));
        try {
          const piece = next ?? (await iterator.next());
          next = null;
          if (!piece.done) {
            send(JSON.stringify(piece.value));
            return;
          }
          send("[DONE]");
        } catch (error) {
          if (signal.aborted) throw error;
          // The status has been sent: OpenAI's clients throw what an event with an error says.
          send(JSON.stringify(apiErrorOf(error)));
        }
        controller.close();
      },
      // `iterator.return` would wait for the next piece.
      cancel: () => pieces.abort(),
    },
    { highWaterMark: 0 },
  );
}
