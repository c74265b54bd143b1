/** Checks that every transport of live runs must pass. A check throws if the transport fails it. */

import type { Connection, Transport } from "./connection.ts";
import type { Frame } from "./framing.ts";
import { LiveError } from "./limits.ts";
import { createSharerKey } from "./proof.ts";

export interface TransportCheck {
  readonly name: string;
  /** Whether nobody answers in this check. It is short with a transport that waits for answers only briefly. */
  readonly isUnanswered: boolean;
  run(transport: Transport): Promise<void>;
}

/** An end of a connection that records what it received. */
interface Heard {
  readonly frames: number[][];
  closed: number;
}

function hear(connection: Connection): Heard {
  const heard: Heard = { frames: [], closed: 0 };
  connection.listen({
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

/** Waits until the condition holds. @throws Error that names the condition if it does not hold within a minute */
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
  /** The sharer's ends, in the order in which watchers connected. */
  readonly connections: { readonly connection: Connection; readonly heard: Heard }[];
  readonly isReachable: () => boolean;
  join(): Promise<{ readonly connection: Connection; readonly heard: Heard }>;
  close(): void;
}

async function openRoom(transport: Transport): Promise<Room> {
  const room = newRoom();
  const connections: Room["connections"] = [];
  let isReachable = false;
  const { close } = await transport.open(room, {
    connection: (connection) => void connections.push({ connection, heard: hear(connection) }),
    reachable(now) {
      isReachable = now;
    },
  });
  return {
    room,
    connections,
    close,
    isReachable: () => isReachable,
    async join() {
      const before = connections.length;
      const connection = await transport.join(room, never);
      const heard = hear(connection);
      await until("the sharer's end of the connection", () => connections.length > before);
      return { connection, heard };
    },
  };
}

type Check = (room: Room, transport: Transport) => Promise<void>;

const unanswered = "nobody is found in a room that is closed, or never was one";

const checks: Readonly<Record<string, Check>> = {
  async "frames of both ends come whole, once and in order"({ join, connections, isReachable }) {
    same("reachable", isReachable(), true);
    const watcher = await join();
    const [sharer] = connections;
    const sent = Array.from({ length: 300 }, (_, number) => [number & 255, number >> 8]);
    for (const bytes of sent) sharer?.connection.send(frame(...bytes));
    watcher.connection.send(frame(9, 8, 7));
    watcher.connection.send(frame(6));
    await until("the frames", () => watcher.heard.frames.length >= 300);
    await until("the watcher's frames", () => sharer?.heard.frames.length === 2);
    same("what the watcher heard", watcher.heard.frames, sent);
    same("what the sharer heard", sharer?.heard.frames, [[9, 8, 7], [6]]);
  },

  async "each watcher has a connection of its own"({ join, connections }) {
    const [one, other] = [await join(), await join()];
    connections[0]?.connection.send(frame(1));
    connections[1]?.connection.send(frame(2));
    await until("both frames", () => one.heard.frames.length + other.heard.frames.length === 2);
    same("who heard what", [one.heard.frames, other.heard.frames], [[[1]], [[2]]]);
    one.connection.close();
    await until("the end of one connection", () => connections[0]?.heard.closed === 1);
    connections[1]?.connection.send(frame(3));
    await until("a frame on the other", () => other.heard.frames.length === 2);
    same("the other's end", [other.heard.closed, connections[1]?.heard.closed], [0, 0]);
  },

  async "what was sent before the sharer closed still comes, and then the end, once"({ join, connections }) {
    const watcher = await join();
    const [sharer] = connections;
    for (let number = 0; number < 40; number += 1)
      sharer?.connection.send(new Uint8Array(16_000).fill(number));
    sharer?.connection.close();
    await until("the end", () => watcher.heard.closed === 1);
    same("frames before it", watcher.heard.frames.length, 40);
    sharer?.connection.send(frame(1));
    sharer?.connection.close();
    watcher.connection.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    same("ends of both sides", [watcher.heard.closed, sharer?.heard.closed], [1, 0]);
  },

  async "a connection carries much"({ join, connections }) {
    const watcher = await join();
    const [sharer] = connections;
    const count = 300;
    for (let sent = 0; sent < count; sent += 1) sharer?.connection.send(new Uint8Array(16_384).fill(sent));
    await until("all of it", () => watcher.heard.frames.length === count);
    watcher.connection.close();
    await until("the end", () => sharer?.heard.closed === 1);
  },

  async "both ends name the connection alike, and each connection differently"({ join, connections }) {
    const [one, other] = [await join(), await join()];
    const names = connections.map(({ connection }) => connection.binding);
    same("both ends", names, [one.connection.binding, other.connection.binding]);
    same("each has its own", new Set(names).size, 2);
  },

  async [unanswered]({ close }, transport) {
    close();
    let found: unknown = "a connection";
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
      () => "a connection",
      (cause: unknown) => String(cause),
    );
    same("what came of it", message, "Error: Enough.");
  },
};

export const transportConformance: readonly TransportCheck[] = Object.entries(checks).map(
  ([name, check]) => ({
    name,
    isUnanswered: name === unanswered,
    async run(transport) {
      const room = await openRoom(transport);
      try {
        await check(room, transport);
      } finally {
        for (const { connection } of room.connections) connection.close();
        room.close();
      }
    },
  }),
);
