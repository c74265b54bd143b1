/** One HTTP request and its answer, however it is sent: by `fetch` here, by `node:http` in `src/package/node`. */
import { anyModelServer } from "./engine-name.ts";
import { checkAddress, RemoteEngineError } from "./remote-error.ts";

export interface ExchangeRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called with the text of an answer of status 200 as it arrives. The reply's own text is then empty. */
  readonly onPiece?: (text: string) => void;
  /** An abort closes the connection. */
  readonly signal?: AbortSignal | undefined;
  /** A longer answer is refused while it is read. */
  readonly maxBytes: number;
  /** The kind of server that should answer, for messages, such as "a vLLM server". */
  readonly expected?: string;
}

export interface ExchangeReply {
  /** 3xx for a redirect, which is not followed. */
  readonly status: number;
  readonly text: string;
}

/**
 * @throws RemoteEngineError `unreachable` if nobody answers, `broken` if the answer ends early, `large` if it is longer than
 * allowed; the signal's reason once it is aborted.
 */
export type HttpExchange = (request: ExchangeRequest) => Promise<ExchangeReply>;

/** An exchange over `fetch`. */
export function createFetchExchange(send: typeof fetch = fetch): HttpExchange {
  return async ({ method, url, headers, body, onPiece, signal, ...bounds }) => {
    const init: RequestInit = { method, headers, redirect: "manual", cache: "no-store" };
    if (body !== undefined) init.body = body;
    if (signal) init.signal = signal;
    const response = await send(url, init).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unreachableError(url, error);
    });
    // A browser hides the status of a redirect that it does not follow.
    if (response.type === "opaqueredirect") return { status: 302, text: "" };
    try {
      let text = "";
      const keep = (piece: string): void => {
        text += piece;
      };
      await readBounded(response, url, { ...bounds, onPiece: (response.ok && onPiece) || keep });
      return { status: response.status, text };
    } catch (error) {
      signal?.throwIfAborted();
      throw error instanceof RemoteEngineError ? error : brokenResponseError(url, error);
    }
  };
}

type Bounds = Pick<ExchangeRequest, "maxBytes" | "expected">;
type Bounded = Bounds & Required<Pick<ExchangeRequest, "onPiece">>;

async function readBounded(response: Response, url: string, { onPiece, ...bounds }: Bounded): Promise<void> {
  const reader = response.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return onPiece(decoder.decode());
    bytes += value.length;
    if (bytes > bounds.maxBytes) {
      await reader.cancel().catch(() => undefined);
      throw tooLargeResponseError(url, bounds);
    }
    onPiece(decoder.decode(value, { stream: true }));
  }
}

export function unreachableError(url: string, cause: unknown): RemoteEngineError {
  const { origin } = new URL(url);
  return new RemoteEngineError(
    "unreachable",
    `No server answers at ${origin}${why(cause)}. Start the server, or correct the address, and run again.`,
    cause,
  );
}

export function brokenResponseError(url: string, cause: unknown): RemoteEngineError {
  const { origin } = new URL(url);
  return new RemoteEngineError(
    "broken",
    `The connection to ${origin} ended in the middle of a response${why(cause)}. If the server was stopped, start it again; then run again.`,
    cause,
  );
}

export function tooLargeResponseError(
  url: string,
  { maxBytes, expected = anyModelServer }: Bounds,
): RemoteEngineError {
  const { origin, pathname } = new URL(url);
  return new RemoteEngineError(
    "large",
    `The response from ${origin} to ${pathname} is longer than ${maxBytes} bytes. ${checkAddress(expected)}`,
  );
}

/** The system's code for what failed, such as ECONNREFUSED. */
function why(cause: unknown): string {
  const inner = (cause as { cause?: unknown } | null)?.cause ?? cause;
  const { code } = (inner ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : "";
}
