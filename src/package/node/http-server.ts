/** A Node server for a handler: converts what arrives on a socket to a Request, and sends the handler's Response. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { messageOf } from "../../core/base/message-of.ts";
import { ApiError } from "../api/api-error.ts";
import { apiErrorOf } from "../http/http-error.ts";
import { bodyOf, discardRest, type RequestBody, sendResponse } from "./http-bodies.ts";
import { type HttpRefusal, hostHeaderRefusal, isLoopback, requestUrlOf } from "./request-head.ts";

export interface HttpServerOptions {
  readonly handler: (request: Request) => Promise<Response>;
  /** The address on which the server listens. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** More names that the server answers to, in lower case and without a port. */
  readonly allowedHosts?: readonly string[];
  readonly limits?: ConnectionLimits;
}

/** Limits in milliseconds, and of connections. */
export interface ConnectionLimits {
  /** For receiving the head of a request. */
  readonly headers: number;
  /** For receiving a whole request, including its body. */
  readonly request: number;
  /** Interval at which these limits are checked. */
  readonly check: number;
  /** For a client to read a piece of its response. */
  readonly unread: number;
  /** For reading the rest of a request that was answered early. */
  readonly rest: number;
  /** For the next request on a connection. */
  readonly idle: number;
  /** For responses in progress when the server closes. */
  readonly closing: number;
  readonly connections: number;
  /** The most connections from one address of another machine. */
  readonly perAddress: number;
}

export const connectionLimits: ConnectionLimits = {
  headers: 10_000,
  request: 120_000,
  check: 2_000,
  unread: 60_000,
  rest: 5_000,
  // Proxies keep idle connections for 60 s. A proxy that sends a request on a connection that is being closed answers 502.
  idle: 75_000,
  // Stopping takes at most 2 s, even while a model does work that never ends.
  closing: 1_500,
  ...connectionsFor(256),
};

/** Limits for a server that has this many requests in progress at most. */
export const limitsForRequests = (requests: number): ConnectionLimits => ({
  ...connectionLimits,
  ...connectionsFor(Math.max(256, requests)),
});

/**
 * Clients keep connections open without a request, and request lists and health, so there are twice as many connections as
 * requests. A proxy has all its clients' connections, so one address may have more connections than requests: the server
 * refuses requests above its limit with a 503, but closes connections above their limit without a word.
 */
function connectionsFor(requests: number): Pick<ConnectionLimits, "connections" | "perAddress"> {
  return { connections: 2 * requests, perAddress: Math.floor(1.5 * requests) };
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Accepts no more connections, ends requests in progress with this error, and settles when their responses were sent, or after the time `closing` of the limits. */
  close(reason?: ApiError): Promise<void>;
}

/** Requests in progress, by the promise of their response. */
type Running = Map<Promise<void>, AbortController>;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly limits: ConnectionLimits;
}

/** Rejects with Node's error if it cannot listen on this address. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, host, port, allowedHosts: allowed = [], limits = connectionLimits } = options;
  const own = { host, allowed };
  const running: Running = new Map();
  let stopped: ApiError | null = null;
  const server = createServer(
    {
      requireHostHeader: false,
      headersTimeout: limits.headers,
      requestTimeout: limits.request,
      keepAliveTimeout: limits.idle,
      connectionsCheckingInterval: limits.check,
      maxHeaderSize: 16_384,
    },
    (incoming, outgoing) => {
      const exchange = { incoming, outgoing, limits };
      const address = askedAddress(incoming, own);
      if (stopped) return void sendError(exchange, stopped);
      if (address instanceof ApiError) return void sendError(exchange, address);
      const ended = new AbortController();
      const answered = answer(exchange, { address, ended, handler });
      running.set(answered, ended);
      void answered.finally(() => running.delete(answered));
    },
  );
  server.maxConnections = limits.connections;
  server.on("connection", limitConnectionsPerAddress(limits.perAddress));
  server.on("connection", closeIdleWhenCrowded(server, limits.connections));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close(reason = serverStoppedError()) {
      stopped = reason;
      return close(server, { running, reason, limits });
    },
  };
}

/** Closes connections above the limit, so that one machine cannot use all of them. A proxy on this machine has no limit. */
export function limitConnectionsPerAddress(most: number): (socket: Socket) => void {
  const counts = new Map<string, number>();
  return (socket) => {
    const address = (socket.remoteAddress ?? "").replace(/^::ffff:/, "");
    if (isLoopback(address)) return;
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left === 0) counts.delete(address);
      else counts.set(address, left);
    });
    if (count > most) socket.destroy();
  };
}

/** Closes idle connections when three quarters of all connections are open, so that they do not keep new clients out. */
function closeIdleWhenCrowded(server: Server, most: number): (socket: Socket) => void {
  let count = 0;
  return (socket) => {
    count += 1;
    socket.once("close", () => {
      count -= 1;
    });
    if (count > 0.75 * most) server.closeIdleConnections();
  };
}

/** The error for requests in progress when the server stops. */
export const serverStoppedError = (): ApiError =>
  new ApiError(
    "The server was stopped before the response was complete. Try again when the server is running again.",
    {
      status: 503,
      type: "engine_error",
      code: "server_stopped",
    },
  );

async function close(
  server: Server,
  { running, reason, limits }: { running: Running; reason: ApiError; limits: ConnectionLimits },
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const ended of running.values()) ended.abort(reason);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limits.closing);
  });
  await Promise.race([Promise.allSettled([...running.keys()]), late]);
  clearTimeout(timer);
  server.closeAllConnections();
  await closed;
}

const hostAdvice = (name: string): string =>
  `Use the address that midtoken serve printed, or start the server with --allow-host ${name}.`;

/** The address that a request asks for, or the error with which it is refused. */
function askedAddress(
  incoming: IncomingMessage,
  own: Parameters<typeof hostHeaderRefusal>[1],
): URL | ApiError {
  const { method, url: target = "", headers, headersDistinct } = incoming;
  const refusal = hostHeaderRefusal(headersDistinct.host ?? [], own, hostAdvice);
  if (refusal) return refused(refusal);
  // The class Request does not support this method.
  if (method === "TRACE") return refused({ status: 405, message: "This server does not answer TRACE." });
  // OPTIONS may use the target `*`, which means the whole server.
  const address = requestUrlOf(target === "*" ? "/*" : target, headers.host ?? "");
  if (address) return address;
  const shown = JSON.stringify(target.slice(0, 100));
  return refused({
    status: 400,
    message: `The request's target is ${shown}: use a path such as /v1/models.`,
  });
}

function refused({ status, message }: HttpRefusal): ApiError {
  const code = status === 421 ? "host_not_allowed" : "invalid_request";
  return new ApiError(message, { status, type: "invalid_request_error", code });
}

interface Asked {
  readonly address: URL;
  /** Aborted when the client has left, or with an ApiError when the server stops. */
  readonly ended: AbortController;
  readonly handler: HttpServerOptions["handler"];
}

async function answer(exchange: Exchange, { address, ended, handler }: Asked): Promise<void> {
  const { incoming, outgoing, limits } = exchange;
  const gone = new AbortController();
  outgoing.on("close", () => {
    if (outgoing.writableFinished) return;
    const reason = new DOMException("The client has disconnected.", "AbortError");
    gone.abort(reason);
    ended.abort(reason);
  });
  let response: Response | null = null;
  try {
    const body = hasBody(incoming) ? bodyOf(incoming) : null;
    response = await handler(requestOf(incoming, { address, signal: ended.signal, body }));
    body?.release();
    await closeIfUnread(exchange);
    await sendResponse(response, outgoing, { signal: gone.signal, unread: limits.unread });
  } catch (error) {
    // If nobody reads the body, it must be released.
    if (response?.body?.locked === false) await response.body.cancel();
    if (outgoing.headersSent || gone.signal.aborted) outgoing.destroy();
    else await sendError(exchange, apiErrorOf(new Error(messageOf(error))));
  }
}

/**
 * A client does not read a response while it is still sending its request. So the server reads and discards the rest of the
 * request, up to a limit.
 */
async function closeIfUnread({ incoming, outgoing, limits }: Exchange): Promise<void> {
  if (incoming.complete || incoming.destroyed || !hasBody(incoming)) return;
  outgoing.setHeader("connection", "close");
  await discardRest(incoming, limits.rest);
}

/** Sends the error in the format of OpenAI's API. */
async function sendError(exchange: Exchange, error: ApiError): Promise<void> {
  const { outgoing } = exchange;
  const body = JSON.stringify(error);
  outgoing.setHeader("connection", "close");
  await closeIfUnread(exchange);
  outgoing.writeHead(error.status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "x-should-retry": String(error.status === 503),
  });
  outgoing.end(body);
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}

interface RequestParts {
  readonly address: URL;
  readonly signal: AbortSignal;
  readonly body: RequestBody | null;
}

function requestOf(incoming: IncomingMessage, { address, signal, body }: RequestParts): Request {
  const { method = "GET", headers } = incoming;
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  const init = { method, headers: given, signal };
  if (!body || method === "GET" || method === "HEAD") return new Request(address, init);
  return new Request(address, { ...init, body: body.stream, duplex: "half" } as RequestInit);
}
