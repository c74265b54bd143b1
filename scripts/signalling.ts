/**
 * The signalling server of live runs (PeerJS's own, `peer`), beside the page on one server: by it two browsers find each other,
 * and hear nothing of the run. For the same names as the page, and for its own pages alone.
 */
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import express from "express";
import { ExpressPeerServer } from "peer";
import { WebSocketServer } from "ws";
import { headRefusal } from "./request-checks.ts";

export interface SignallingOptions {
  /** Where it answers: what `live.json` has as `signalling`. */
  readonly path: string;
  /** The `--host` that was given. */
  readonly host?: string | undefined;
}

/** Bytes of one message: two browsers tell each other some kilobytes of how they can be reached. */
const messageBytes = 65_536;
const mostPeers = 256;

/** Call before the server listens. */
export function attachSignalling(server: Server, { path, host }: SignallingOptions): void {
  server.prependListener("upgrade", (request: IncomingMessage, socket: Duplex) => {
    // What is refused here is destroyed, and nothing that comes later can answer it.
    if (!isOwnPage(request, host)) socket.destroy();
  });
  const app = ExpressPeerServer(server, {
    path,
    concurrent_limit: mostPeers,
    // Who asks for a peer that is not here is told so after this.
    expire_timeout: 2_000,
    createWebSocketServer: (options) => new WebSocketServer({ ...options, maxPayload: messageBytes }),
  });
  // A client that breaks off or talks nonsense: nothing to do about it.
  app.on("error", () => {});
  // It begins when it is mounted in an application of Express. That one answers nobody: the HTTP interface is of no use here.
  express().use(app);
}

/** Whether a page of this server asks. Any page of the web could open a socket to this machine. */
function isOwnPage(request: IncomingMessage, host: string | undefined): boolean {
  if (headRefusal(request, host) !== null) return false;
  const { origin, host: named } = request.headers;
  return origin === `http://${named}` || origin === `https://${named}`;
}
