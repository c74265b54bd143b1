/** Ends requests to a server that is silent: a connection to a machine that was switched off would stay open for hours. */
import type { HttpExchange } from "./exchange.ts";
import { RemoteEngineError } from "./remote-error.ts";

/** Milliseconds without a byte. A long prompt on a slow machine takes minutes until the first one. */
export const longestIdleMs = 600_000;

/** The exchange, whose requests fail as `unreachable` after `ms` without a piece of the answer, or, without `onPiece`, without the whole answer. */
export function withIdleLimit(exchange: HttpExchange, ms = longestIdleMs): HttpExchange {
  return async ({ signal, onPiece, ...request }) => {
    signal?.throwIfAborted();
    const ended = new AbortController();
    const stop = (): void => ended.abort(signal?.reason);
    signal?.addEventListener("abort", stop, { once: true });
    let heardAt = performance.now();
    const check = (): void => {
      const left = heardAt + ms - performance.now();
      if (left <= 0) ended.abort(silent(request.url, ms));
      else timer = setTimeout(check, left);
    };
    let timer = setTimeout(check, ms);
    const listen = (piece: string): void => {
      heardAt = performance.now();
      onPiece?.(piece);
    };
    try {
      return await exchange({ ...request, ...(onPiece && { onPiece: listen }), signal: ended.signal });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  };
}

function silent(url: string, ms: number): RemoteEngineError {
  const { origin } = new URL(url);
  return new RemoteEngineError(
    "unreachable",
    `${origin} has sent nothing for ${ms / 1_000} s. Look at the server's log, then run again.`,
  );
}
