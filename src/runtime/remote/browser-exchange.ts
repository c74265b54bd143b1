/** Requests of a page. A browser reports a refused connection and a refused origin in the same way, so both are told apart here. */
import { createFetchExchange, type HttpExchange } from "./exchange.ts";
import { RemoteEngineError } from "./remote-error.ts";

export function createBrowserExchange(send: typeof fetch = (...given) => fetch(...given)): HttpExchange {
  const exchange = createFetchExchange(send);
  return async (request) => {
    try {
      return await exchange(request);
    } catch (error) {
      const isUnreachable = error instanceof RemoteEngineError && error.fault === "unreachable";
      const { origin } = new URL(request.url);
      if (!isUnreachable || origin === pageOrigin()) throw error;
      // A page that is isolated may not even send requests whose answers it does not read.
      if (globalThis.crossOriginIsolated) throw absentOrClosed(origin, error);
      if (await respondsAtAll(request.url, send, request.signal)) throw closed(origin);
      throw error;
    }
  };
}

const pageOrigin = (): string => globalThis.location?.origin ?? "this page";

/** Whether a server is there. A browser sends such a request without the key and hides the answer. */
async function respondsAtAll(url: string, send: typeof fetch, signal?: AbortSignal): Promise<boolean> {
  const init: RequestInit = { mode: "no-cors", credentials: "omit", cache: "no-store" };
  if (signal) init.signal = signal;
  return send(url, init).then(
    () => true,
    () => {
      signal?.throwIfAborted();
      return false;
    },
  );
}

function closed(origin: string): RemoteEngineError {
  return new RemoteEngineError(
    "cors",
    `A server answers at ${origin} but does not let pages from ${pageOrigin()} read its responses (CORS). ${howToOpen(origin)}`,
  );
}

function absentOrClosed(origin: string, cause: unknown): RemoteEngineError {
  return new RemoteEngineError(
    "unreachable",
    `No server at ${origin} answers this page. Start the server, or correct the address. If the server is already running, it does not let pages from ${pageOrigin()} read its responses (CORS). ${howToOpen(origin)}`,
    cause,
  );
}

const howToOpen = (origin: string): string =>
  `Allow the page's origin when you start the server, or let the page's own server forward the requests: npm start -- --engine ${origin}`;
