/** A server of Node's for a handler of requests: what comes over the socket as a Request, and its Response back. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { messageOf } from "../base/message-of.ts";

export interface HttpServerOptions {
  readonly handler: (request: Request) => Promise<Response>;
  /** Where it listens. */
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
}

export interface HttpServer {
  readonly host: string;
  readonly port: number;
  /** Ends what is on its way, too. */
  close(): Promise<void>;
}

/** Rejects with Node's error where it cannot listen there. */
export async function startHttpServer({ handler, host, port }: HttpServerOptions): Promise<HttpServer> {
  const isLocal = isLoopback(host);
  const server = createServer((incoming, outgoing) => {
    // Another site's name may be made to lead here: then its pages would be of this server's own origin.
    if (isLocal && !isLoopback(hostOf(incoming.headers.host ?? ""))) return refuseHost(incoming, outgoing);
    void answer(incoming, outgoing, handler);
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

/** Whether a name is this machine's own for itself, and nobody else's. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Without the port. */
function hostOf(header: string): string {
  return header.replace(/:\d+$/, "");
}

function refuseHost(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const host = JSON.stringify(incoming.headers.host ?? "");
  sendError(outgoing, 403, "host_not_allowed", `This server answers as localhost alone, not as ${host}.`);
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: HttpServerOptions["handler"],
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort(new DOMException("The client is gone.", "AbortError")));
  try {
    await send(await handler(requestOf(incoming, gone.signal)), outgoing, gone.signal);
  } catch (error) {
    if (outgoing.headersSent || gone.signal.aborted) outgoing.destroy();
    else sendError(outgoing, 500, "server_error", messageOf(error));
  }
}

/** As OpenAI's clients read it. */
function sendError(outgoing: ServerResponse, status: number, code: string, message: string): void {
  const type = status === 500 ? "server_error" : "invalid_request_error";
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ error: { message, type, code, param: null } }));
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headers, socket } = incoming;
  const host = headers.host ?? `${socket.localAddress}:${socket.localPort}`;
  const hasBody = method !== "GET" && method !== "HEAD";
  const given = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return new Request(new URL(url, `http://${host}`), {
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
