/** What every way of carrying a live run must keep. A check throws on failure. */
import type { Frame } from "./framing.ts";
import { LiveError } from "./limits.ts";
import type { Line, Transport } from "./line.ts";
import { createSharerKey } from "./proof.ts";

export interface TransportCheck {
  readonly name: string;
  run(transport: Transport): Promise<void>;
}

/** An end of a line that remembers what it heard. */
interface Heard {
  readonly frames: number[][];
  closed: number;
}

function hear(line: Line): Heard {
  const heard: Heard = { frames: [], closed: 0 };
  line.listen({
    frame: (frame) => heard.frames.push([...frame]),
    closed() {
      heard.closed += 1;
    },
  });
  return heard;
}

const frame = (...bytes: number[]): Frame => Uint8Array.from(bytes);
const never = new AbortController().signal;
const newRoom = () => createSharerKey().room;

/** Waits until something holds. @throws Error that says what did not come to hold within a minute. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const end = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not happen within a minute.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function same(what: string, found: unknown, wanted: unknown): void {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${what}: ${one} instead of ${other}`);
}

interface Room {
  readonly room: string;
  /** The sharer's ends, in the order in which watchers came. */
  readonly lines: { readonly line: Line; readonly heard: Heard }[];
  readonly isReachable: () => boolean;
  join(): Promise<{ readonly line: Line; readonly heard: Heard }>;
  close(): void;
}

async function openRoom(transport: Transport): Promise<Room> {
  const room = newRoom();
  const lines: Room["lines"] = [];
  let isReachable = false;
  const { close } = await transport.open(room, {
    line: (line) => void lines.push({ line, heard: hear(line) }),
    reachable(now) {
      isReachable = now;
    },
  });
  return {
    room,
    lines,
    close,
    isReachable: () => isReachable,
    async join() {
      const before = lines.length;
      const line = await transport.join(room, never);
      const heard = hear(line);
      await until("the sharer's end of the line", () => lines.length > before);
      return { line, heard };
    },
  };
}

type Check = (room: Room, transport: Transport) => Promise<void>;

const checks: Readonly<Record<string, Check>> = {
  async "frames of both ends come whole, once and in order"({ join, lines, isReachable }) {
    same("reachable", isReachable(), true);
    const watcher = await join();
    const [sharer] = lines;
    const sent = Array.from({ length: 300 }, (_, number) => [number & 255, number >> 8]);
    for (const bytes of sent) sharer?.line.send(frame(...bytes));
    watcher.line.send(frame(9, 8, 7));
    watcher.line.send(frame(6));
    await until("the frames", () => watcher.heard.frames.length >= 300);
    await until("the watcher's frames", () => sharer?.heard.frames.length === 2);
    same("what the watcher heard", watcher.heard.frames, sent);
    same("what the sharer heard", sharer?.heard.frames, [[9, 8, 7], [6]]);
  },

  async "each watcher has a line of its own"({ join, lines }) {
    const [one, other] = [await join(), await join()];
    lines[0]?.line.send(frame(1));
    lines[1]?.line.send(frame(2));
    await until("both frames", () => one.heard.frames.length + other.heard.frames.length === 2);
    same("who heard what", [one.heard.frames, other.heard.frames], [[[1]], [[2]]]);
    one.line.close();
    await until("the end of one line", () => lines[0]?.heard.closed === 1);
    lines[1]?.line.send(frame(3));
    await until("a frame on the other", () => other.heard.frames.length === 2);
    same("the other's end", [other.heard.closed, lines[1]?.heard.closed], [0, 0]);
  },

  async "what was sent before the sharer closed still comes, and then the end, once"({ join, lines }) {
    const watcher = await join();
    const [sharer] = lines;
    for (let number = 0; number < 40; number += 1) sharer?.line.send(new Uint8Array(16_000).fill(number));
    sharer?.line.close();
    await until("the end", () => watcher.heard.closed === 1);
    same("frames before it", watcher.heard.frames.length, 40);
    sharer?.line.send(frame(1));
    sharer?.line.close();
    watcher.line.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    same("ends of both sides", [watcher.heard.closed, sharer?.heard.closed], [1, 0]);
  },

  async "a connection carries much"({ join, lines }) {
    const watcher = await join();
    const [sharer] = lines;
    const count = 300;
    for (let sent = 0; sent < count; sent += 1) sharer?.line.send(new Uint8Array(16_384).fill(sent));
    await until("all of it", () => watcher.heard.frames.length === count);
    watcher.line.close();
    await until("the end", () => sharer?.heard.closed === 1);
  },

  async "both ends name the connection alike, and each connection differently"({ join, lines }) {
    const [one, other] = [await join(), await join()];
    const names = lines.map(({ line }) => line.binding);
    same("both ends", names, [one.line.binding, other.line.binding]);
    same("each has its own", new Set(names).size, 2);
  },

  async "nobody is found in a room that is closed, or never was one"({ close }, transport) {
    close();
    let found: unknown = "a line";
    await transport.join(newRoom(), never).catch((cause: unknown) => {
      found = cause;
    });
    if (!(found instanceof LiveError)) throw new Error(`Joining gave ${String(found)}, not a LiveError.`);
  },

  async "who stops looking gets the reason that it gave"(_, transport) {
    const stop = new AbortController();
    const looking = transport.join(newRoom(), stop.signal);
    stop.abort(new Error("Enough."));
    const message = await looking.then(
      () => "a line",
      (cause: unknown) => String(cause),
    );
    same("what came of it", message, "Error: Enough.");
  },
};

export const transportConformance: readonly TransportCheck[] = Object.entries(checks).map(
  ([name, check]) => ({
    name,
    async run(transport) {
      const room = await openRoom(transport);
      try {
        await check(room, transport);
      } finally {
        for (const { line } of room.lines) line.close();
        room.close();
      }
    },
  }),
);
