/**
 * Forwards requests of the page to the model server that `npm start -- --engine URL` names, and adds the server's key. The page
 * learns neither the key nor the address. Only pages of this server may send requests, and only for the paths that the page
 * needs.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "../src/core/base/record.ts";
import { createHttpExchange } from "../src/package/node/http-exchange.ts";
import type { HttpRefusal } from "../src/package/node/request-head.ts";
import type { ExchangeReply } from "../src/runtime/remote/exchange.ts";
import { RemoteEngineError, type RemoteFault } from "../src/runtime/remote/remote-error.ts";
import { dataHeaders } from "./response-headers.ts";

export interface EngineRelayOptions {
  /** Address of the model server, without a slash at its end. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly limits?: Partial<RelayLimits>;
}

export interface RelayLimits {
  /** Most bytes of a request. A prompt takes about 6 for each token. */
  readonly requestBytes: number;
  /** Most bytes of a response. */
  readonly answerBytes: number;
  /** Most requests at the same time. */
  readonly requests: number;
  /** Milliseconds for which the model server may send nothing. */
  readonly silence: number;
}

export const relayLimits: RelayLimits = {
  requestBytes: 8_000_000,
  answerBytes: 32_000_000,
  requests: 32,
  silence: 600_000,
};

/** The paths that the page requests from the three kinds of servers, each with its method. */
const relayedPaths: Readonly<Record<string, "GET" | "POST">> = {
  "/health": "GET",
  "/v1/models": "GET",
  "/props": "GET",
  "/version": "GET",
  "/server_info": "GET",
  "/completion": "POST",
  "/v1/completions": "POST",
  "/generate": "POST",
  "/detokenize": "POST",
};

/** Answers a request whose `Host` was checked. `path`: the path on the model server, for example `/health`. */
export type EngineRelay = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

export function createEngineRelay({ url, key, limits: given }: EngineRelayOptions): EngineRelay {
  const limits = { ...relayLimits, ...given };
  const exchange = createHttpExchange();
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  let open = 0;

  async function pass(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const body = request.method === "POST" ? await readBody(request, limits.requestBytes) : undefined;
    if (body === null) return refuse(response, tooLong(limits.requestBytes));
    const leaving = new AbortController();
    response.once("close", () => leaving.abort());
    const silence = new Silence(limits.silence);
    try {
      const reply = await exchange({
        method: body === undefined ? "GET" : "POST",
        url: `${url}${path}`,
        headers,
        ...(body !== undefined && { body }),
        ...(path !== "/server_info" && {
          onPiece(piece: string) {
            silence.end();
            writePiece(response, piece);
          },
        }),
        signal: AbortSignal.any([leaving.signal, silence.signal]),
        maxBytes: limits.answerBytes,
      });
      endReply(response, path, { ...reply, text: key ? reply.text.replaceAll(key, "…") : reply.text });
    } catch (error) {
      if (leaving.signal.aborted) return;
      const fault = error instanceof RemoteEngineError ? error.fault : null;
      if (fault === null && !silence.signal.aborted) throw error;
      // The page must not mistake the beginning of a response for the whole response.
      if (response.headersSent) response.destroy();
      else refuse(response, fault === null ? silent(limits.silence) : failure(fault));
    } finally {
      silence.stop();
    }
  }

  return async (request, response, path) => {
    const isFull = open >= limits.requests;
    const refusal = refusalOf(request, path) ?? (isFull ? tooMany(limits.requests) : null);
    if (refusal) {
      // The content of the request is not read.
      response.setHeader("connection", "close");
      return refuse(response, refusal);
    }
    open += 1;
    response.once("close", () => {
      open -= 1;
    });
    // The model server may need more time for a long prompt than this server grants a silent connection.
    const { socket } = request;
    const before = socket.timeout ?? 0;
    socket.setTimeout(2 * limits.silence);
    try {
      await pass(request, response, path);
    } finally {
      socket.setTimeout(before);
    }
  };
}

/** Aborts if nothing arrives for a time. */
class Silence {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timer after something arrived. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#controller.abort(), this.#ms);
  }
}

/** Why a request is refused before its content is read; null if it is accepted. */
function refusalOf(request: IncomingMessage, path: string): HttpRefusal | null {
  const method = Object.hasOwn(relayedPaths, path) ? relayedPaths[path] : undefined;
  if (method === undefined || request.url?.includes("?"))
    return { status: 404, message: "This path of the model server is not passed on." };
  if (request.method !== method)
    return { status: 405, message: `${path} is passed on with ${method}, not with ${request.method}.` };
  if (!isOwnPage(request))
    return { status: 403, message: "Only pages of this server may ask its model server." };
  if (request.headers.expect !== undefined)
    return { status: 417, message: "Send the content without asking whether it is wanted." };
  const hasContent = request.headers["transfer-encoding"] !== undefined || contentLength(request) > 0;
  if (method === "GET" && hasContent)
    return { status: 413, message: `${path} is passed on without content.` };
  if (method === "POST" && !/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    return { status: 415, message: "Send JSON, with the content-type application/json." };
  return null;
}

/** Browsers send the origin of the page. Without this check, any page of the web could send requests to this machine. */
function isOwnPage({ headers, method }: IncomingMessage): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (site !== undefined && site !== "same-origin") return false;
  if (origin === undefined) return method === "GET";
  return origin === `http://${host}` || origin === `https://${host}`;
}

function contentLength({ headers }: IncomingMessage): number {
  return Number(headers["content-length"] ?? 0);
}

/** Null if the content is longer than allowed; the rest is not read. */
async function readBody(request: IncomingMessage, most: number): Promise<string | null> {
  if (contentLength(request) > most) return null;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += (piece as Buffer).length;
    if (bytes > most) return null;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function writePiece(response: ServerResponse, piece: string): void {
  if (!response.headersSent) {
    const isStream = /^(?:data|error)?:/.test(piece);
    writeHead(response, 200, isStream ? "text/event-stream" : "application/json");
  }
  response.write(piece);
}

function endReply(response: ServerResponse, path: string, { status, text }: ExchangeReply): void {
  const refusal = refusalBy(status);
  if (response.headersSent) {
    response.end();
  } else if (refusal) {
    refuse(response, refusal);
  } else {
    writeHead(response, status, "application/json");
    response.end(status === 200 && path === "/server_info" ? versionAlone(text) : text);
  }
}

/** The error that the page gets after a redirect or a refused key: only the person who started this server can solve these. */
function refusalBy(status: number): HttpRefusal | null {
  if (status >= 300 && status < 400) return failure("redirect");
  return status === 401 || status === 403 ? failure("key") : null;
}

/** SGLang reports all settings with which it was started, including its key; only the version is passed on. */
function versionAlone(text: string): string {
  try {
    const settings: unknown = JSON.parse(text);
    return JSON.stringify({ version: isRecord(settings) ? settings.version : undefined });
  } catch {
    return "{}";
  }
}

function writeHead(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { ...dataHeaders, "content-type": type, "cache-control": "no-store" });
}

/** Writes an error in the shape of the model servers, `{ error: { code, message } }`. */
function refuse(response: ServerResponse, { status, message }: HttpRefusal): void {
  writeHead(response, status, "application/json");
  response.end(JSON.stringify({ error: { code: status, message } }));
}

const tooLong = (most: number): HttpRefusal => ({
  status: 413,
  message: `The request is longer than ${most} bytes.`,
});

const tooMany = (most: number): HttpRefusal => ({
  status: 429,
  message: `The local server passes on ${most} requests at once.`,
});

const silent = (ms: number): HttpRefusal => ({
  status: 504,
  message: `The model server sent nothing for ${ms / 1000} s. Look at its log.`,
});

const failures: Partial<Record<RemoteFault, string>> = {
  redirect: "The model server redirects to another address. Give that address to --engine.",
  key: "The model server refuses the key. Start this server again with the right key (--engine-key-file).",
  broken: "The model server ended the connection in the middle of an answer. Look at its log.",
  large: "The answer of the model server is too long. Ask for fewer tokens.",
};

const failure = (fault: RemoteFault): HttpRefusal => ({
  status: 502,
  message:
    failures[fault] ??
    "No model server answers at the address of --engine. Start the model server, or correct the address.",
});
