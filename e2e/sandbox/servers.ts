/** Servers that listen for what gets out: HTTP and WebSocket on another origin and on the page's own, UDP for STUN and QUIC. */
import { createHash } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { createServer as createViteServer } from "vite";
import { pageCspText } from "../../scripts/vite-csp.ts";
import { type Mode, modes, type Ports } from "./targets.ts";

export interface SuiteServers {
  /** Origin of the page's server, without a slash at the end. */
  readonly origin: string;
  readonly ports: Ports;
  /** Ids of attempts from which something arrived, with what it was. */
  readonly hits: ReadonlyMap<string, string>;
  /** Datagrams by port. */
  readonly datagrams: ReadonlyMap<number, number>;
  /** The next report that a page posts. */
  nextReport(): Promise<unknown>;
  /** Lets the page that asks `/next`, now or later, go on to this address. */
  sendOn(address: string): void;
  close(): Promise<void>;
}

const root = resolve(import.meta.dirname, "../..");

/** @param files more to serve on the page's origin: texts by their paths. */
export async function startServers(files: Readonly<Record<string, string>> = {}): Promise<SuiteServers> {
  const hits = new Map<string, string>();
  const datagrams = new Map<number, number>();
  let onReport: (report: unknown) => void = () => undefined;
  /** One of the two waits for the other: the page that is done, or the address it is to go to. */
  let waiting: ServerResponse | null = null;
  let address: string | null = null;
  function meet(): void {
    if (waiting === null || address === null) return;
    waiting.end(address);
    waiting = null;
    address = null;
  }

  /** True for a request that belongs to an attack. */
  function note(request: IncomingMessage, response: ServerResponse | null): boolean {
    const [, id] = /^\/hit\/([\w-]+)/.exec(request.url ?? "") ?? [];
    if (id === undefined) return false;
    hits.set(id, `${request.headers.upgrade ?? "HTTP"} ${request.method} ${request.url}`);
    const type = request.url?.endsWith(".js") ? "text/javascript" : "text/plain";
    response?.writeHead(200, { "content-type": type, "access-control-allow-origin": "*" }).end("0;");
    return true;
  }

  const attacker = createServer((request, response) => {
    if (!note(request, response)) response.writeHead(404).end();
  });
  attacker.on("upgrade", (request: IncomingMessage, socket) => {
    note(request, null);
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest("base64");
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
  await new Promise<void>((done) => attacker.listen(0, "127.0.0.1", done));

  const sinks = await Promise.all(modes.flatMap(() => [listenUdp(), listenUdp()]));
  for (const { socket, port } of sinks) {
    socket.on("message", () => datagrams.set(port, (datagrams.get(port) ?? 0) + 1));
  }
  const portsOf = (offset: number) =>
    Object.fromEntries(modes.map((mode, index) => [mode, sinks[2 * index + offset]?.port ?? 0]));

  const vite = await createViteServer({
    configFile: resolve(root, "e2e/vite.config.ts"),
    cacheDir: resolve(root, "node_modules/.vite-sandbox"),
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, hmr: false, watch: null },
    plugins: [
      {
        name: "suite",
        configureServer(server) {
          server.middlewares.use((request, response, next) => {
            if (note(request, response)) return;
            // The policy of the built page: a sandbox has to start under it as well.
            if (request.url?.includes("group=policy"))
              response.setHeader("content-security-policy", pageCspText);
            const file = files[request.url ?? ""];
            if (file !== undefined) {
              response.end(file);
              return;
            }
            if (request.url === "/next") {
              waiting = response;
              meet();
              return;
            }
            if (request.url !== "/report" || request.method !== "POST") return next();
            let body = "";
            request.on("data", (chunk) => {
              body += chunk;
            });
            request.on("end", () => {
              response.end();
              onReport(JSON.parse(body));
            });
          });
        },
      },
    ],
  });
  await vite.listen();
  const listening = vite.httpServer?.address();
  if (!listening || typeof listening === "string")
    throw new Error("The suite's page server does not listen.");

  return {
    origin: `http://127.0.0.1:${listening.port}`,
    ports: {
      http: (attacker.address() as AddressInfo).port,
      stun: portsOf(0) as Record<Mode, number>,
      quic: portsOf(1) as Record<Mode, number>,
    },
    hits,
    datagrams,
    nextReport: () =>
      new Promise((done) => {
        onReport = done;
      }),
    sendOn(next) {
      address = next;
      meet();
    },
    async close() {
      for (const { socket } of sinks) socket.close();
      attacker.closeAllConnections();
      attacker.close();
      await vite.close();
    },
  };
}

async function listenUdp() {
  const socket = createSocket("udp4");
  await new Promise<void>((done) => socket.bind(0, "127.0.0.1", done));
  return { socket, port: socket.address().port };
}
