/**
 * The connection that carries a live run, as an interface: `tabs.ts` connects tabs, `peers.ts` connects machines. Both must pass
 * `transport.conformance.ts`.
 */
import type { Frame } from "./framing.ts";

/** The callbacks of one end of a connection. */
export interface ConnectionCallbacks {
  frame(frame: Uint8Array): void;
  /** Called once if the connection closes, unless this end called `close`. */
  closed(): void;
}

/** A connection between the sharer and one watcher. Each frame arrives complete, once, and in the order in which it was sent. */
export interface Connection {
  /**
   * A text that both ends of this connection have and no other connection has. Over WebRTC: the fingerprints of both
   * certificates, so that a third party between the two would see a different text on each side.
   */
  readonly binding: string;
  /** Call it in the same task that delivered the connection; otherwise frames may be lost. */
  listen(end: ConnectionCallbacks): void;
  /** Does nothing once the connection is closed. */
  send(frame: Frame): void;
  /** Frames that were sent before still arrive if the other end is connected. */
  close(): void;
  /** Closes the connection at once, because the other end broke a rule: no further frame is sent or delivered. */
  cut(): void;
}

/** The sharer's side of a transport, which accepts watchers until it is closed. */
export interface SharerRoom {
  close(): void;
}

export interface RoomCallbacks {
  connection(connection: Connection): void;
  /** Whether new watchers can connect: false while the signalling server cannot be reached. */
  reachable(isReachable: boolean): void;
}

export interface Transport {
  /** @throws LiveError if this transport cannot accept watchers */
  open(room: string, end: RoomCallbacks): Promise<SharerRoom>;
  /** @throws LiveError if nobody shares in the room; the signal's reason once the signal is aborted */
  join(room: string, signal: AbortSignal): Promise<Connection>;
}
