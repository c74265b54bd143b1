/**
 * The signalling server of live runs, beside the page on one server: by it two browsers find each other, and it hears nothing of
 * the run. It answers its own pages alone, and pages that are named. What it keeps and passes on is bounded for each address, for
 * each sharer and in all.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { isName, messageCharacters } from "../src/page/live/signalling-messages.ts";
import { headRefusal } from "./request-checks.ts";
import { createAddressLimits, type SignallingLimits, usualLimits } from "./signalling-limits.ts";
import { createSignallingRooms } from "./signalling-rooms.ts";

export interface SignallingOptions {
  /** The path at which it answers: what `live.json` has as `signalling`. */
  readonly path: string;
  /** The `--host` that was given. */
  readonly host?: string | undefined;
  /** Origins of pages elsewhere that may ask. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<SignallingLimits>;
}

/** Call before the server listens. */
export function attachSignalling(
  server: Server,
  { path, host, origins = [], limits: given = {} }: SignallingOptions,
): void {
  const limits = { ...usualLimits, ...given };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: messageCharacters,
    clientTracking: true,
  });
  const addresses = createAddressLimits(limits);
  const rooms = createSignallingRooms(limits);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const address = request.socket.remoteAddress ?? "";
    const [target = "", query = ""] = (request.url ?? "").split("?", 2);
    const given = new URLSearchParams(query);
    const [shared, watched] = [given.get("share"), given.get("watch")];
    const name = shared ?? watched;
    socket.on("error", () => socket.destroy());
    if (!isAllowed(request, host, origins) || target !== path || !isName(name)) return refuse(socket, 403);
    if (!addresses.enter(address)) return refuse(socket, 429);
    socket.once("close", () => addresses.leave(address));
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // A client that breaks off or talks nonsense: the socket closes by itself.
      opened.on("error", () => opened.terminate());
      if (shared === null) rooms.watch(name, opened);
      else rooms.share(name, opened);
    });
  });
  // A socket whose machine went away without a word is found out: it did not answer since the last time.
  const alive = setInterval(() => rooms.ping(), limits.pingMs);
  alive.unref();
  server.on("close", () => {
    clearInterval(alive);
    for (const socket of sockets.clients) socket.terminate();
  });
}

function refuse(socket: Duplex, status: 403 | 429): void {
  const words = status === 403 ? "Forbidden" : "Too Many Requests";
  socket.end(`HTTP/1.1 ${status} ${words}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}

/** Whether a page of this server asks, or a page that is named. Any page of the web could open a socket to this machine. */
function isAllowed(request: IncomingMessage, host: string | undefined, origins: readonly string[]): boolean {
  if (headRefusal(request, host) !== null) return false;
  const { origin, host: named } = request.headers;
  if (origin === undefined) return false;
  return origin === `http://${named}` || origin === `https://${named}` || origins.includes(origin);
}
