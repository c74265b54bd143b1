/** Hostile ends of live runs, over any connection and over the channels between tabs. Work and what is kept is counted. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { nextTask } from "../../core/base/next-task.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import type { Connection, ConnectionCallbacks } from "./connection.ts";
import { type Frame, splitIntoFrames } from "./framing.ts";
import { liveLimits } from "./limits.ts";
import { createSharerKey } from "./proof.ts";
import { createSharing, type GrowingRun } from "./sharing.ts";
import { createTabTransport } from "./tabs.ts";
import { connectionPair } from "./testing/connection-pair.ts";
import { createWatcherLog, greet, greetingTo } from "./testing/watcher.ts";

const key = createSharerKey();
const { room } = key;
const flood = 20_000;
const { records } = sampleTrace({ tokens: 200 });
const run: GrowingRun = { trace: { records }, watch: () => () => {}, ended: new Promise(() => {}) };
const settle = async (turns = 60) => {
  for (let turn = 0; turn < turns; turn += 1) await nextTask();
};

/** A connection of which the test is the watcher. */
function rawConnection(binding = "raw") {
  const seen = { sent: 0, bytes: 0, closes: 0, read: 0 };
  let end: ConnectionCallbacks | null = null;
  const connection: Connection = {
    binding,
    listen(listening) {
      end = listening;
    },
    send(frame) {
      seen.sent += 1;
      seen.bytes += frame.length;
    },
    close() {
      seen.closes += 1;
    },
    cut() {
      seen.closes += 1;
    },
  };
  const give = (frame: Uint8Array) => {
    if (seen.closes === 0) seen.read += 1;
    end?.frame(frame);
  };
  const say = (text: string) => {
    for (const frame of splitIntoFrames(text)) give(frame);
  };
  return { connection, seen, give, say, leave: () => end?.closed() };
}

let share: ReturnType<typeof createSharing> | null = null;
afterEach(() => share?.stop());

/** A clock that stands still: the pace lets 32 small messages through. */
function sharing() {
  const seen = { changes: 0 };
  share = createSharing({
    key,
    clock: () => 0,
    onWatchers() {
      seen.changes += 1;
    },
  });
  return { sharing: share, seen };
}

const taken = (messages: unknown) => JSON.stringify({ type: "taken", messages });
const nested = `${"[".repeat(500)}${"]".repeat(500)}`;

describe("a watcher that says what an honest watcher does not is closed at once, and nothing it says later is read", () => {
  type Raw = ReturnType<typeof rawConnection>;
  const greeted = ({ say }: Raw) => say(greetingTo(room, "raw"));
  test.each<[string, (raw: Raw) => void]>([
    [
      "a second greeting",
      (raw) => {
        greeted(raw);
        greeted(raw);
      },
    ],
    ["a confirmation before the greeting", ({ say }) => say(taken(1))],
    [
      "a confirmation of nothing",
      (raw) => {
        greeted(raw);
        raw.say(taken(0));
      },
    ],
    [
      "a confirmation of less than nothing",
      (raw) => {
        greeted(raw);
        raw.say(taken(-1));
      },
    ],
    [
      "a confirmation of half a message",
      (raw) => {
        greeted(raw);
        raw.say(taken(0.5));
      },
    ],
    [
      "a confirmation of more than was sent",
      (raw) => {
        greeted(raw);
        raw.say(taken(1_000));
      },
    ],
    [
      "a confirmation of a number beyond numbers",
      (raw) => {
        greeted(raw);
        raw.say(taken(1e308));
      },
    ],
    [
      "a confirmation that is a text",
      (raw) => {
        greeted(raw);
        raw.say(taken("1"));
      },
    ],
    ["a greeting for another connection", ({ say }) => say(greetingTo(room, "another"))],
    ["a greeting for another room", ({ say }) => say(greetingTo("0".repeat(32), "raw"))],
    ["a greeting in capitals", ({ say }) => say(greetingTo(room, "raw").toUpperCase())],
    [
      "a greeting of a later version",
      ({ say }) => say(greetingTo(room, "raw").replace('"live":1', '"live":2')),
    ],
    ["a greeting whose room is a prototype", ({ say }) => say('{"__proto__":{"type":"watch"}}')],
    ["a sharer's message", ({ say }) => say('{"type":"run"}')],
    ["lists in lists", ({ say }) => say(nested)],
    ["no JSON", ({ say }) => say("watch")],
    ["an empty frame", ({ give }) => give(new Uint8Array())],
    ["a frame of 4 MB", ({ give }) => give(new Uint8Array(4 * 1_048_576).fill(1))],
    ["a message that never ends", ({ give }) => give(new Uint8Array(liveLimits.frameBytes))],
    ["frames of one byte", ({ give }) => give(Uint8Array.of(0))],
    ["no UTF-8", ({ give }) => give(Uint8Array.of(1, 255, 255))],
    ["one character too many", ({ say }) => say(`${" ".repeat(liveLimits.watcherMessageBytes)}1`)],
  ])("%s", async (_, attack) => {
    const { sharing: shared } = sharing();
    shared.follow(run);
    const raw = rawConnection();
    shared.admit(raw.connection, "peers");
    attack(raw);
    expect(raw.seen.closes).toBeGreaterThan(0);
    const { sent } = raw.seen;
    const frames = splitIntoFrames(greetingTo(room, "raw"));
    for (let count = 0; count < flood; count += 1) for (const frame of frames) raw.give(frame);
    await settle(5);
    expect(raw.seen).toMatchObject({ closes: 1, sent });
    expect(shared.watchers).toEqual([]);
  });
});

describe("what a watcher can make the sharer do is bounded", () => {
  test("a watcher who confirms nothing is sent no more than the window", async () => {
    const { sharing: shared } = sharing();
    const long = { ...run, trace: { records: Array(3_000).fill(records[1]) } };
    shared.follow({ ...long, trace: { records: [...records.slice(0, 1), ...long.trace.records] } });
    const raw = rawConnection();
    shared.admit(raw.connection, "peers");
    raw.say(greetingTo(room, "raw"));
    await settle(200);
    expect(raw.seen.bytes).toBeLessThan(liveLimits.unconfirmed.bytes + 65_536);
    expect(raw.seen.closes).toBe(0);
  });

  test("20,000 confirmations: one more than messages were sent closes it", async () => {
    const { sharing: shared } = sharing();
    shared.follow(run);
    const raw = rawConnection();
    shared.admit(raw.connection, "peers");
    raw.say(greetingTo(room, "raw"));
    await settle(20);
    const before = raw.seen.read;
    for (let count = 0; count < flood; count += 1) raw.say(taken(1));
    expect(raw.seen.closes).toBe(1);
    expect(raw.seen.read - before).toBeLessThanOrEqual(raw.seen.sent + 1);
  });

  test("20,000 connections that say nothing: 32 are kept, and an honest watcher gets in", async () => {
    const { sharing: shared } = sharing();
    shared.follow(run);
    const silent = Array.from({ length: flood }, () => rawConnection());
    for (const { connection } of silent) shared.admit(connection, "peers");
    const open = silent.filter(({ seen }) => seen.closes === 0);
    expect(open).toHaveLength(liveLimits.ungreeted);
    const honest = connectionPair();
    const seen = createWatcherLog(honest.other, room);
    shared.admit(honest.one, "tabs");
    greet(honest.other);
    await settle();
    expect(seen.runs[0]?.records).toEqual(records);
    expect(shared.watchers).toHaveLength(1);
  });

  test("connections that say nothing are closed after their time", () => {
    vi.useFakeTimers();
    try {
      const { sharing: shared } = sharing();
      const raw = rawConnection();
      shared.admit(raw.connection, "peers");
      vi.advanceTimersByTime(liveLimits.greetingMs - 1);
      expect(raw.seen.closes).toBe(0);
      vi.advanceTimersByTime(1);
      expect(raw.seen.closes).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  test("1,000 watchers who come and go leave nothing behind", async () => {
    const { sharing: shared, seen } = sharing();
    shared.follow(run);
    for (let count = 0; count < 1_000; count += 1) {
      const raw = rawConnection();
      shared.admit(raw.connection, "peers");
      raw.say(greetingTo(room, "raw"));
      raw.leave();
      raw.leave();
    }
    await settle(5);
    expect(shared.watchers).toEqual([]);
    expect(seen.changes).toBe(2_000);
  });

  test("after the sharer has stopped nobody is admitted, and nothing is signed", () => {
    const { sharing: shared } = sharing();
    shared.stop();
    const raw = rawConnection();
    shared.admit(raw.connection, "peers");
    raw.say(greetingTo(room, "raw"));
    expect(raw.seen).toMatchObject({ closes: 1, sent: 0 });
  });
});

describe("between tabs", () => {
  const tabs = createTabTransport({ locks: undefined, answerMs: 60_000 });
  const channelOf = (name: string) => new BroadcastChannel(`midtoken.live ${name}`);
  const ids = (count: number) => Array.from({ length: count }, (_, id) => id.toString(16).padStart(32, "0"));
  /** BroadcastChannel delivers in later tasks. */
  const delivered = () => new Promise((resolve) => setTimeout(resolve, 200));

  test("20,000 tabs that ask: few connections are made", async () => {
    const here = createSharerKey().room;
    const connections: Connection[] = [];
    const open = await tabs.open(here, {
      connection: (connection) => void connections.push(connection),
      reachable() {},
    });
    const doors = channelOf(here);
    for (const join of ids(flood)) doors.postMessage({ join });
    await expect.poll(() => connections.length).toBeGreaterThan(0);
    await delivered();
    expect(connections.length).toBeLessThan(200);
    for (const connection of connections) connection.close();
    doors.close();
    open.close();
  });

  test.each<[string, unknown]>([
    ["no object", 7],
    ["nothing", null],
    ["a number for a name", { join: 1 }],
    ["a name of 4 MB", { join: "a".repeat(4_000_000) }],
    ["a name of other letters", { join: "../../".repeat(11).slice(0, 32) }],
    ["a list", [{ join: "0".repeat(32) }]],
  ])("asking with %s makes no connection", async (_, message) => {
    const here = createSharerKey().room;
    const connections: Connection[] = [];
    const open = await tabs.open(here, {
      connection: (connection) => void connections.push(connection),
      reachable() {},
    });
    const doors = channelOf(here);
    doors.postMessage(message);
    doors.postMessage({ join: "f".repeat(32) });
    await expect.poll(() => connections.length).toBe(1);
    connections[0]?.close();
    doors.close();
    open.close();
  });

  test.each<[string, unknown]>([
    ["an unknown message", { eval: "1" }],
    ["a confirmation of old", { taken: 1e9 }],
    ["frames that are lists", { frame: [1, 123, 125] }],
    ["a frame that is a buffer", { frame: new ArrayBuffer(8) }],
    ["a second answer", { joined: true }],
    ["an end", { close: true }],
  ])("%s from the other tab ends the connection, once", async (_, message) => {
    const here = createSharerKey().room;
    const doors = channelOf(here);
    let sharer: BroadcastChannel | null = null;
    doors.onmessage = ({ data }: MessageEvent<{ join: string }>) => {
      sharer = channelOf(`${here} ${data.join}`);
      sharer.postMessage({ joined: true });
    };
    const connection = await tabs.join(here, new AbortController().signal);
    const seen = { closed: 0, frames: [] as Frame[] };
    connection.listen({
      frame: (frame) => void seen.frames.push(frame as Frame),
      closed() {
        seen.closed += 1;
      },
    });
    for (let count = 0; count < flood; count += 1) (sharer as BroadcastChannel | null)?.postMessage(message);
    await expect.poll(() => seen.closed).toBe(1);
    await delivered();
    expect(seen).toEqual({ closed: 1, frames: [] });
    doors.close();
    (sharer as BroadcastChannel | null)?.close();
  });
});
