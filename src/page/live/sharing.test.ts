/** Both ends of a live run together: whatever the run, whoever comes when, the watcher has the records of the run. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextTask } from "../../core/base/next-task.ts";
import type { TraceRecord } from "../../core/trace/format/format.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "../../core/trace/testing/trace-builder.ts";
import { splitIntoFrames } from "./framing.ts";
import { liveLimits } from "./limits.ts";
import { createSharerKey } from "./proof.ts";
import { createSharing, type GrowingRun, type Sharing } from "./sharing.ts";
import { connectionPair } from "./testing/connection-pair.ts";
import { createWatcherLog, greet, greetingTo, type WatcherLog } from "./testing/watcher.ts";

const key = createSharerKey();
const { room } = key;

/** A watcher of the sharing, over a connection of its own. */
function watch(sharing: Sharing, greeting?: string) {
  const pair = connectionPair();
  const seen: WatcherLog = createWatcherLog(pair.other, room);
  sharing.admit(pair.one, "tabs");
  if (greeting === undefined) greet(pair.other);
  else for (const frame of splitIntoFrames(greeting)) pair.other.send(frame);
  return { ...pair, seen };
}

/** A run of which a test says when its records come. */
function growing(all: readonly TraceRecord[]) {
  const records: TraceRecord[] = [];
  const listeners = new Set<() => void>();
  let end: (failure: string | null) => void = () => {};
  const ended = new Promise<string | null>((resolve) => {
    end = resolve;
  });
  const run: GrowingRun = {
    trace: { records },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ended,
  };
  const grow = (count: number) => {
    records.push(...all.slice(records.length, records.length + count));
    for (const listener of listeners) listener();
  };
  return { run, grow, end, listeners };
}

const settle = async () => {
  for (let turn = 0; turn < 40; turn += 1) await nextTask();
};
/** A clock that is an hour further whenever it is read: nobody waits for the pace, which `outbox.test.ts` is about. */
const hours = () => {
  let ms = 0;
  return () => {
    ms += 3_600_000;
    return ms;
  };
};
const share = () => createSharing({ key, onWatchers() {}, clock: hours() });
const { records } = sampleTrace({ tokens: 40 });

test("a watcher has the run as it grows, and one who comes late has all of it", async () => {
  const sharing = share();
  const { run, grow, end } = growing(records);
  const early = watch(sharing);
  sharing.follow(run);
  grow(5);
  await settle();
  expect(early.seen.runs[0]?.records).toEqual(records.slice(0, 5));
  grow(60);
  const late = watch(sharing);
  await settle();
  grow(records.length);
  end(null);
  const last = watch(sharing);
  await settle();
  for (const { seen } of [early, late, last]) {
    expect(seen.runs).toEqual([{ records, failure: null }]);
  }
  expect(sharing.watchers.map(({ number, way }) => [number, way])).toEqual([
    [1, "tabs"],
    [2, "tabs"],
    [3, "tabs"],
  ]);
});

test("each run has the name of its maker, where one is to be said, and nothing else of it is another", async () => {
  const sharing = share();
  const [first, second] = [growing(records), growing(records)];
  const { seen } = watch(sharing);
  sharing.follow(first.run, "Ann");
  first.grow(records.length);
  first.end(null);
  await settle();
  sharing.follow(second.run);
  second.grow(records.length);
  await settle();
  const [request, ...others] = records;
  expect(seen.runs.map((run) => run.records)).toEqual([[{ ...request, maker: "Ann" }, ...others], records]);
  expect(records[0]).not.toHaveProperty("maker");
});

test("a second run takes the place of the first, also for one whose connection is slow", async () => {
  const sharing = share();
  const [first, second] = [growing(records), growing(records.slice(0, 9))];
  const slow = watch(sharing);
  sharing.follow(first.run);
  first.grow(10);
  await settle();
  slow.hold();
  first.grow(20);
  sharing.follow(second.run);
  second.grow(9);
  second.end("The engine broke down.");
  await settle();
  expect(slow.seen.runs).toHaveLength(1);
  slow.release();
  await settle();
  expect(slow.seen.runs.at(-1)).toEqual({ records: records.slice(0, 9), failure: "The engine broke down." });
  expect(first.listeners.size).toBe(0);
});

test("a pause is told, also to one who comes meanwhile, and is over with the next run", async () => {
  const sharing = share();
  const { run, grow } = growing(records);
  sharing.follow(run);
  grow(4);
  sharing.setPaused(true);
  const { seen } = watch(sharing);
  await settle();
  expect(seen.isPaused).toBe(true);
  sharing.setPaused(false);
  await settle();
  expect(seen.isPaused).toBe(false);
});

test("stopping tells every watcher and lets go of them; nobody is taken after it", async () => {
  const sharing = share();
  const { run, grow, listeners } = growing(records);
  sharing.follow(run);
  const { seen } = watch(sharing);
  await settle();
  sharing.stop();
  await settle();
  expect(seen).toMatchObject({ over: "stopped", isClosed: true });
  expect(sharing.watchers).toEqual([]);
  expect(listeners.size).toBe(0);
  grow(3);
  const after = watch(sharing);
  await settle();
  expect(after.seen).toMatchObject({ runs: [], isClosed: true });
});

describe("who is no watcher is sent away, and hears nothing", () => {
  test.each([
    ["with another room", greetingTo("f".repeat(32), "pair 1")],
    ["with a proof that another connection was greeted with", greetingTo(room, "another")],
    ["with no JSON", "watch"],
    ["with too much", greetingTo(room, "x").replace("}", `,"x":"${"x".repeat(1_024)}"}`)],
  ])("%s", async (_, greeting) => {
    const sharing = share();
    sharing.follow(growing(records).run);
    const { seen } = watch(sharing, greeting);
    await settle();
    expect(seen).toMatchObject({ runs: [], isPaused: false, over: null, isClosed: true });
    expect(sharing.watchers).toEqual([]);
  });

  test("once there are as many as may be", async () => {
    const sharing = share();
    const all = Array.from({ length: liveLimits.watchers }, () => watch(sharing));
    await settle();
    const { seen } = watch(sharing);
    await settle();
    expect(seen).toMatchObject({ over: "full", isClosed: true });
    expect(sharing.watchers).toHaveLength(liveLimits.watchers);
    all[0]?.other.close();
    await settle();
    expect(sharing.watchers).toHaveLength(liveLimits.watchers - 1);
  });

  test("and a watcher who says more than its greeting", async () => {
    const sharing = share();
    const { other, seen } = watch(sharing);
    await settle();
    expect(sharing.watchers).toHaveLength(1);
    greet(other);
    await settle();
    expect(seen.isClosed).toBe(true);
    expect(sharing.watchers).toEqual([]);
  });
});

test("a run whose first record is too long to be sent says so, and the next one is watched", async () => {
  const sharing = share();
  const mods = Array.from({ length: 64 }, (_, place) => ({ name: `m${place}`, source: "é".repeat(65_000) }));
  const tooLong = growing([requestRecord({ mods })]);
  const { seen } = watch(sharing);
  sharing.follow(tooLong.run);
  tooLong.grow(1);
  await settle();
  expect(seen.runs[0]?.failure).toContain("too long to be watched live");
  const next = growing(records);
  sharing.follow(next.run);
  next.grow(3);
  await settle();
  expect(seen.runs.at(-1)).toEqual({ records: records.slice(0, 3) });
});

test("records that fill many messages come whole", async () => {
  const builder = createTraceBuilder(requestRecord());
  const long = { token: 7, text: " word".repeat(8_000) };
  for (let step = 0; step < 40; step += 1) builder.add([long], "forced", { mod: null });
  const sharing = share();
  const { run, grow } = growing(builder.records);
  sharing.follow(run);
  grow(builder.records.length);
  const { seen } = watch(sharing);
  for (let turn = 0; turn < 5; turn += 1) await settle();
  expect(seen.runs[0]?.records).toEqual(builder.records);
});

test("property: in whatever order records come and watchers, each has the run", async () => {
  const step = fc.oneof(
    fc.record({ grow: fc.integer({ min: 1, max: 30 }) }),
    fc.constant("join" as const),
    fc.constant("hold" as const),
    fc.constant("release" as const),
    fc.constant("turn" as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const sharing = share();
      const { run, grow, end } = growing(records);
      sharing.follow(run);
      const watchers = [watch(sharing)];
      for (const each of steps) {
        if (each === "join" && watchers.length < liveLimits.watchers) watchers.push(watch(sharing));
        else if (each === "hold") watchers.at(-1)?.hold();
        else if (each === "release") for (const { release } of watchers) release();
        else if (each === "turn") await nextTask();
        else if (typeof each === "object") grow(each.grow);
      }
      grow(records.length);
      end(null);
      for (const { release } of watchers) release();
      await settle();
      for (const { seen } of watchers) expect(seen.runs.at(-1)).toEqual({ records, failure: null });
      sharing.stop();
    }),
    { numRuns: 60 },
  );
});
