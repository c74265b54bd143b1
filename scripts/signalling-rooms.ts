/** The sharers and watchers at the signalling server: passes a watcher's offer to the sharer, and the sharer's answer back. */
import type { RawData, WebSocket } from "ws";
import { createRateLimiter } from "../src/page/live/allowance.ts";
import { closeCodes, parseAnswer, parseDescription } from "../src/page/live/signalling-messages.ts";
import type { SignallingLimits } from "./signalling-limits.ts";

export interface SignallingRooms {
  share(name: string, socket: WebSocket): void;
  watch(name: string, socket: WebSocket): void;
  /** Closes the socket of every sharer that has not answered the previous ping, and pings the others. */
  ping(): void;
}

interface Room {
  readonly sharer: WebSocket;
  /** Watchers that wait for an answer, oldest first. */
  readonly waiting: Map<number, WebSocket>;
  readonly offers: ReturnType<typeof createRateLimiter>;
}

const textOf = (data: RawData, isBinary: boolean): string => (isBinary ? "" : String(data));

/** As many answers as offers, and some more for watchers that left before they were answered. */
function answersAllowed({ offers }: SignallingLimits, now: () => number) {
  return createRateLimiter({ atOnce: 2 * offers.atOnce, perSecond: 2 * offers.perSecond }, now);
}

/** Pings every sharer's socket and closes the sockets that did not answer the last ping. */
function pingAll(answered: Map<WebSocket, boolean>): void {
  for (const [socket, isAlive] of answered) {
    if (!isAlive) socket.terminate();
    answered.set(socket, false);
    socket.ping();
  }
}

export function createSignallingRooms(
  limits: SignallingLimits,
  now: () => number = () => performance.now(),
): SignallingRooms {
  const rooms = new Map<string, Room>();
  /** Sharers' sockets, each with whether it answered the last ping. */
  const answered = new Map<WebSocket, boolean>();
  let count = 0;

  /** A watcher's offer. */
  const passOn = (room: Room, watcher: WebSocket, offer: string) => {
    if (!room.offers.take()) return watcher.close(closeCodes.busy);
    if (room.sharer.bufferedAmount > limits.unreadBytes) return room.sharer.terminate();
    const [oldest] = room.waiting;
    if (oldest && room.waiting.size >= limits.waiting) {
      room.waiting.delete(oldest[0]);
      oldest[1].close(closeCodes.busy);
    }
    const number = ++count;
    room.waiting.set(number, watcher);
    const tooLate = setTimeout(() => watcher.close(closeCodes.busy), limits.answerMs);
    watcher.once("close", () => {
      clearTimeout(tooLate);
      room.waiting.delete(number);
    });
    room.sharer.send(JSON.stringify({ watcher: number, offer }));
  };

  /** A sharer's answer. The watcher may have left; a watcher gets at most one answer. */
  const passBack = (room: Room, text: string) => {
    const message = parseAnswer(text);
    if (!message) return room.sharer.close(closeCodes.refused);
    const watcher = room.waiting.get(message.watcher);
    room.waiting.delete(message.watcher);
    if (!watcher) return;
    if (message.answer === null) return watcher.close(closeCodes.busy);
    watcher.send(JSON.stringify({ answer: message.answer }));
    // The page should close the socket; after this time the server closes it.
    setTimeout(() => watcher.terminate(), limits.offerMs).unref();
  };

  return {
    share(name, socket) {
      if (rooms.has(name)) return socket.close(closeCodes.taken);
      const room: Room = {
        sharer: socket,
        waiting: new Map(),
        offers: createRateLimiter(limits.offers, now),
      };
      rooms.set(name, room);
      answered.set(socket, true);
      const answers = answersAllowed(limits, now);
      socket.on("pong", () => answered.set(socket, true));
      socket.on("message", (data, isBinary) => {
        if (answers.take()) passBack(room, textOf(data, isBinary));
        else socket.close(closeCodes.refused);
      });
      socket.on("close", () => {
        rooms.delete(name);
        answered.delete(socket);
        for (const watcher of room.waiting.values()) watcher.close(closeCodes.nobody);
      });
      socket.send('{"open":true}');
    },
    watch(name, socket) {
      if (!rooms.has(name)) return socket.close(closeCodes.nobody);
      let isOffered = false;
      const tooLate = setTimeout(() => socket.close(closeCodes.busy), limits.offerMs);
      socket.once("close", () => clearTimeout(tooLate));
      socket.on("message", (data, isBinary) => {
        clearTimeout(tooLate);
        const offer = parseDescription(textOf(data, isBinary), "offer");
        if (isOffered || offer === null) return socket.close(closeCodes.refused);
        isOffered = true;
        const room = rooms.get(name);
        if (room) passOn(room, socket, offer);
        else socket.close(closeCodes.nobody);
      });
    },
    ping() {
      pingAll(answered);
    },
  };
}
