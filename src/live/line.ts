/** What carries a live run: the port that tabs and peers both fill. `transport.conformance.ts` says what holds of each. */
import type { Frame } from "./framing.ts";

/** What an end of a line hears. */
export interface LineEnd {
  frame(frame: Uint8Array): void;
  /** Once, when the line is gone for whatever reason but this end's own `close`. */
  closed(): void;
}

/** A line between whoever shares and one watcher. Frames come whole, once and in order. */
export interface Line {
  /** To be called in the task in which the line was given. */
  listen(end: LineEnd): void;
  /** After the line is closed, nothing happens. */
  send(frame: Frame): void;
  /** Resolves when little of what was sent is still on its way, or the line is closed. */
  ready(): Promise<void>;
  /** What was sent before still arrives, as far as the other end is there. */
  close(): void;
}

/** Who takes watchers. */
export interface OpenRoom {
  close(): void;
}

export interface RoomEnd {
  line(line: Line): void;
  /** Whether new watchers can come: false while what leads them here is out of reach. */
  reachable(isReachable: boolean): void;
}

export interface Transport {
  /** @throws LiveError where watchers cannot come by this way. */
  open(room: string, end: RoomEnd): Promise<OpenRoom>;
  /** @throws LiveError where nobody shares in the room, and the signal's reason once it is aborted. */
  join(room: string, signal: AbortSignal): Promise<Line>;
}

/** Bytes that may be on their way before a line is not ready for more. */
export const mostOnTheWay = 262_144;
