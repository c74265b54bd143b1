/**
 * The signalling server for live runs, on the same server as the page: it introduces two browsers to each other and receives
 * nothing of the run. Only the server's own pages and the named origins may connect. Memory and traffic are limited for each
 * address, for each sharer, and in total.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { isHashedRoomName, maxMessageCharacters } from "../src/page/live/signalling-messages.ts";
import { fileRequestRefusal } from "./request-checks.ts";
import { createAddressLimits, defaultSignallingLimits, type SignallingLimits } from "./signalling-limits.ts";
import { createSignallingRooms } from "./signalling-rooms.ts";

export interface SignallingOptions {
  /** The path of the signalling server: `signalling` in `live.json`. */
  readonly path: string;
  /** The value of `--host`. */
  readonly host?: string | undefined;
  /** Origins of other pages that may connect. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<SignallingLimits>;
}

/** Must be called before the server listens. */
export function attachSignalling(
  server: Server,
  { path, host, origins = [], limits: given = {} }: SignallingOptions,
): void {
  const limits = { ...defaultSignallingLimits, ...given };
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageCharacters,
    clientTracking: true,
  });
  const addresses = createAddressLimits(limits);
  const rooms = createSignallingRooms(limits);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const address = request.socket.remoteAddress ?? "";
    const [target = "", query = ""] = (request.url ?? "").split("?", 2);
    const given = new URLSearchParams(query);
    const shared = given.get("share");
    const watched = given.get("watch");
    const name = shared ?? watched;
    socket.on("error", () => socket.destroy());
    if (!isAllowed(request, host, origins) || target !== path || !isHashedRoomName(name))
      return refuse(socket, 403);
    if (!addresses.enter(address)) return refuse(socket, 429);
    socket.once("close", () => addresses.leave(address));
    sockets.handleUpgrade(request, socket, head, (opened) => {
      // A client that disconnects or sends an invalid frame: the socket closes by itself.
      opened.on("error", () => opened.terminate());
      if (shared === null) rooms.watch(name, opened);
      else rooms.share(name, opened);
    });
  });
  // Detects sharers whose machine disappeared: they do not answer a ping. Watchers have time limits instead.
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

/** Whether the request comes from a page of this server or of a named origin. Any page of the web could open a socket to this machine. */
function isAllowed(request: IncomingMessage, host: string | undefined, origins: readonly string[]): boolean {
  if (fileRequestRefusal(request, host) !== null) return false;
  const { origin, host: named } = request.headers;
  if (origin === undefined) return false;
  return origin === `http://${named}` || origin === `https://${named}` || origins.includes(origin);
}
