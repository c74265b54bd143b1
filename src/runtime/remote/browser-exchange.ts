/** Requests of a page. A browser reports a refused connection and a refused origin in the same way, so both are told apart here. */
import { type Exchange, fetchExchange } from "./exchange.ts";
import { RemoteEngineError } from "./remote-error.ts";

export function browserExchange(send: typeof fetch = (...given) => fetch(...given)): Exchange {
  const exchange = fetchExchange(send);
  return async (request) => {
    try {
      return await exchange(request);
    } catch (error) {
      const isUnreachable = error instanceof RemoteEngineError && error.fault === "unreachable";
      if (!isUnreachable || !(await answersAtAll(request.url, send, request.signal))) throw error;
      throw notForThisPage(request.url);
    }
  };
}

/** Whether a server is there. A browser sends such a request without the key and hides the answer. */
async function answersAtAll(url: string, send: typeof fetch, signal?: AbortSignal): Promise<boolean> {
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

function notForThisPage(url: string): RemoteEngineError {
  const { origin } = new URL(url);
  const page = globalThis.location?.origin ?? "this page";
  return new RemoteEngineError(
    "cors",
    `A server answers at ${origin}, and does not let pages of ${page} read its answers (CORS). Allow this origin where you start the server, or let the page's own server pass requests on: npm start -- --engine ${origin}`,
  );
}
