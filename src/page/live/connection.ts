/** The connection that carries a live run: the port that tabs and peers both fill. `transport.conformance.ts` says what each must keep. */
import type { Frame } from "./framing.ts";

/** The callbacks of one end of a connection. */
export interface ConnectionEnd {
  frame(frame: Uint8Array): void;
  /** Once, when the connection is gone for any reason but this end's own `close`. */
  closed(): void;
}

/** A connection between the sharer and one watcher. Frames come whole, once and in order. */
export interface Connection {
  /**
   * The same text at both ends, and a different one for every other connection: over WebRTC the fingerprints of both ends'
   * certificates, so that a third party between the two has another text on each side.
   */
  readonly binding: string;
  /** Call it in the task in which the connection was given. */
  listen(end: ConnectionEnd): void;
  /** Does nothing once the connection is closed. */
  send(frame: Frame): void;
  /** Frames that were sent before still arrive if the other end is there. */
  close(): void;
  /** Closes at once, for an end that does what it may not do: nothing more is carried either way. */
  cut(): void;
}

/** The sharer's side of a transport, which accepts watchers until it is closed. */
export interface OpenRoom {
  close(): void;
}

export interface RoomEnd {
  connection(connection: Connection): void;
  /** Whether new watchers can come: false while the signalling server is out of reach. */
  reachable(isReachable: boolean): void;
}

export interface Transport {
  /** @throws LiveError if watchers cannot come by this transport. */
  open(room: string, end: RoomEnd): Promise<OpenRoom>;
  /** @throws LiveError if nobody shares in the room, and the signal's reason once it is aborted. */
  join(room: string, signal: AbortSignal): Promise<Connection>;
}
