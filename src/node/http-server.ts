/** A server of Node's for a handler of requests: what comes over the socket as a Request, and its Response back. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { messageOf } from "../base/message-of.ts";
import { addressOf, hostRefusal, type Refusal } from "./request-head.ts";

export interface HttpServerOptions {
  readonly handler: (request: Request) => Promise<Response>;
  /** Where it listens. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Names that the server answers to beside its own, in lower case and without a port. */
  readonly allowedHosts?: readonly string[];
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Ends what is on its way, too. */
  close(): Promise<void>;
}

/** Rejects with Node's error where it cannot listen there. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { handler, host, port, allowedHosts: allowed = [] } = options;
  const own = { host, allowed };
  const server = createServer({ requireHostHeader: false }, (incoming, outgoing) => {
    const refusal = hostRefusal(incoming.headersDistinct.host ?? [], own, hostCure);
    if (refusal) refuse(outgoing, refusal);
    else void answer(incoming, outgoing, handler);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return { host, port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const hostCure = (name: string): string =>
  `Ask the address that midtoken serve printed, or start it with --allow-host ${name}.`;

/** The connection is closed, and the rest of what the client sends is not read. */
function refuse(outgoing: ServerResponse, { status, message }: Refusal): void {
  outgoing.setHeader("connection", "close");
  sendError(outgoing, status, status === 421 ? "host_not_allowed" : "invalid_request", message);
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: HttpServerOptions["handler"],
): Promise<void> {
  const { url: target = "", headers } = incoming;
  const address = addressOf(target, headers.host ?? "");
  if (!address) {
    const message = `The request's target is ${JSON.stringify(target.slice(0, 100))}: ask for a path, as /v1/models.`;
    return refuse(outgoing, { status: 400, message });
  }
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort(new DOMException("The client is gone.", "AbortError")));
  try {
    await send(await handler(requestOf(incoming, address, gone.signal)), outgoing, gone.signal);
  } catch (error) {
    if (outgoing.headersSent || gone.signal.aborted) outgoing.destroy();
    else sendError(outgoing, 500, "server_error", messageOf(error));
  }
}

/** As OpenAI's clients read it. */
function sendError(outgoing: ServerResponse, status: number, code: string, message: string): void {
  const type = status === 500 ? "server_error" : "invalid_request_error";
  const body = JSON.stringify({ error: { message, type, code, param: null } });
  const length = Buffer.byteLength(body);
  outgoing.writeHead(status, { "content-type": "application/json", "content-length": length });
  outgoing.end(body);
}

function requestOf(incoming: IncomingMessage, address: URL, signal: AbortSignal): Request {
  const { method = "GET", headers } = incoming;
  const hasBody = method !== "GET" && method !== "HEAD";
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Request(address, {
    method,
    headers: given,
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
  });
}

/** No more is read of the answer than the client takes. */
async function send(response: Response, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  if (response.body) {
    const reader = response.body.getReader();
    const cancel = () => void reader.cancel(signal.reason).catch(() => undefined);
    signal.addEventListener("abort", cancel);
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) break;
      if (!outgoing.write(value)) await drained(outgoing);
    }
    signal.removeEventListener("abort", cancel);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off("drain", done);
      outgoing.off("close", done);
      resolve();
    };
    outgoing.on("drain", done);
    outgoing.on("close", done);
  });
}
