/** Warm sandboxes whose process has ended, or ends while they start: later mods get another sandbox. Fake sandboxes, real ports. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CompiledMod } from "./compiled-mod.ts";
import type { SandboxPool } from "./sandbox-pool.ts";
import { createTestFrame, type TestFrame } from "./testing/test-frame.ts";
import { backupAfterMs, createWarmPool, longestPingReplyMs, type Sandbox } from "./warm-pool.ts";

/** A sandbox that wakes when the test says so. */
interface Made extends Sandbox {
  readonly frame: TestFrame;
  wake(): void;
  fail(error: Error): void;
  isLoaded: boolean;
  isRemoved: boolean;
}

let made: Made[];
let pool: SandboxPool;
/** Whether sandboxes that are made from now on wake by themselves. */
let wakeAtOnce: boolean;

function makeSandbox(): Made {
  const frame = createTestFrame();
  const { port1: port, port2 } = new MessageChannel();
  const state = { isLoaded: false, isRemoved: false };
  let wake = () => {};
  let fail: (error: Error) => void = () => {};
  const awake = new Promise<void>((resolve, reject) => {
    wake = resolve;
    fail = reject;
  });
  awake.catch(() => undefined);
  if (wakeAtOnce) wake();
  const sandbox: Made = Object.assign(state, {
    port,
    pingPort: frame.pingPort,
    awake,
    frame,
    wake,
    fail,
    load() {
      state.isLoaded = true;
    },
    remove() {
      state.isRemoved = true;
      for (const each of [port, port2, frame]) each.close();
    },
  });
  made.push(sandbox);
  return sandbox;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  made = [];
  wakeAtOnce = true;
  pool = createWarmPool(makeSandbox);
});

afterEach(() => {
  pool.dispose();
  vi.useRealTimers();
});

/** Makes a new pool whose sandboxes wake when the test says so. */
function startSleepy(mostStarting?: number): void {
  pool.dispose();
  made = [];
  wakeAtOnce = false;
  pool = createWarmPool(makeSandbox, mostStarting);
}

const compiled = { code: "", about: { reads: { strategies: false, bans: false } } } as unknown as CompiledMod;

/** Lets real messages arrive and be processed. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
}

/** Lets time pass for the pool only. */
async function pass(ms: number): Promise<void> {
  await settle();
  vi.advanceTimersByTime(ms);
  await settle();
}

const usable = () => made.filter(({ isRemoved }) => !isRemoved);

test("a warm sandbox that answers is taken at once", async () => {
  await settle();
  expect(made).toHaveLength(1);
  await pool.spawn(compiled);
  expect(made[0]).toMatchObject({ isLoaded: true, isRemoved: false });
});

test("all warm sandboxes of a process that has ended are removed together, and a new sandbox is taken", async () => {
  pool.keepReady(8);
  await settle();
  expect(made).toHaveLength(8);
  for (const { frame } of made) frame.pause();
  const spawning = pool.spawn(compiled);
  await pass(longestPingReplyMs);
  await pass(longestPingReplyMs);
  await spawning;
  expect(made.slice(0, 8).every(({ isRemoved }) => isRemoved)).toBe(true);
  expect(made[8]).toMatchObject({ isLoaded: true, isRemoved: false });
  await pass(0);
  expect(usable()).toHaveLength(9);
});

test("if only some warm sandboxes answer, one of them is taken and the rest of them stay", async () => {
  pool.keepReady(4);
  await settle();
  for (const place of [0, 1, 3]) made[place]?.frame.pause();
  const spawning = pool.spawn(compiled);
  await pass(longestPingReplyMs);
  await pass(longestPingReplyMs);
  await spawning;
  expect(made.map(({ isRemoved }) => isRemoved).slice(0, 4)).toEqual([true, true, false, true]);
  expect(made[2]?.isLoaded).toBe(true);
});

test("mods that are spawned together each get a sandbox of their own, though no warm sandbox answers", async () => {
  pool.keepReady(3);
  await settle();
  for (const { frame } of made) frame.pause();
  const spawning = Promise.all([1, 2, 3].map(() => pool.spawn(compiled)));
  await pass(longestPingReplyMs);
  await pass(longestPingReplyMs);
  const guests = await spawning;
  expect(new Set(guests.map(({ port }) => port)).size).toBe(3);
  expect(made.filter(({ isLoaded }) => isLoaded).map(({ isRemoved }) => isRemoved)).toEqual([
    false,
    false,
    false,
  ]);
});

test("a warm sandbox that is taken while another mod looks for one that answers is left alone", async () => {
  pool.keepReady(3);
  await settle();
  made[0]?.frame.pause();
  const first = pool.spawn(compiled);
  await pass(longestPingReplyMs);
  // The first request now sends pings to the others.
  const second = pool.spawn(compiled);
  const third = pool.spawn(compiled);
  await pass(longestPingReplyMs);
  await Promise.all([first, second, third]);
  expect(made.map(({ isRemoved }) => isRemoved).slice(0, 3)).toEqual([true, false, false]);
  const loaded = made.filter(({ isLoaded, isRemoved }) => isLoaded && !isRemoved);
  expect(loaded).toHaveLength(3);
});

test.each([
  ["the backup", 1],
  ["the first", 0],
])(
  "if a sandbox does not wake, a backup starts, and the one that wakes first is taken: %s",
  async (_, winner) => {
    startSleepy();
    const spawning = pool.spawn(compiled);
    await pass(backupAfterMs - 1);
    expect(made).toHaveLength(1);
    await pass(1);
    expect(made).toHaveLength(2);
    made[winner]?.wake();
    await spawning;
    expect(made[winner]).toMatchObject({ isLoaded: true, isRemoved: false });
    expect(made[1 - winner]).toMatchObject({ isLoaded: false, isRemoved: true });
  },
);

test("no more sandboxes than the limit start at once, and each request gets one in its turn", async () => {
  startSleepy(2);
  const outcomes = Promise.allSettled([0, 1, 2, 3, 4, 5].map(() => pool.spawn(compiled)));
  // Two sandboxes of requests, and the warm one: the first request takes it, and the pool makes another.
  for (let ended = 0; ended < 7; ended++) {
    await settle();
    expect(made.length - ended).toBeLessThanOrEqual(3);
    if (ended === 2) made[ended]?.fail(new Error("It could not start."));
    else made[ended]?.wake();
  }
  const statuses = (await outcomes).map(({ status }) => status);
  expect(statuses.filter((status) => status === "fulfilled")).toHaveLength(5);
  expect(made.filter(({ isLoaded }) => isLoaded)).toHaveLength(5);
});

test("a pool that is disposed of refuses the requests that wait for their turn", async () => {
  startSleepy(1);
  const spawning = [0, 1, 2, 3].map(() => pool.spawn(compiled));
  const refused = spawning
    .slice(2)
    .map((each) => expect(each).rejects.toThrow("The sandboxes were disposed of"));
  await settle();
  expect(made).toHaveLength(2);
  pool.dispose();
  await Promise.all(refused);
  expect(made).toHaveLength(2);
  for (const sandbox of made) sandbox.wake();
  await Promise.allSettled(spawning);
});

test("a sandbox that cannot start says why at once", async () => {
  startSleepy();
  const spawning = pool.spawn(compiled);
  await settle();
  made[0]?.fail(new Error("The policy forbids it."));
  await expect(spawning).rejects.toThrow("The policy forbids it.");
  expect(made[0]?.isRemoved).toBe(true);
});

test("if neither the sandbox nor its backup can start, the error says why the first could not", async () => {
  startSleepy();
  const spawning = pool.spawn(compiled);
  await pass(backupAfterMs);
  expect(made).toHaveLength(2);
  made[1]?.fail(new Error("The backup is late too."));
  made[0]?.fail(new Error("It did not start within 20 s."));
  await expect(spawning).rejects.toThrow("It did not start within 20 s.");
  expect(made.slice(0, 2).map(({ isRemoved }) => isRemoved)).toEqual([true, true]);
});

test("a pool that is disposed of while a warm sandbox is asked makes no other sandbox", async () => {
  await settle();
  made[0]?.frame.pause();
  const spawning = pool.spawn(compiled);
  const refused = expect(spawning).rejects.toThrow("The sandboxes were disposed of: make a new pool.");
  await settle();
  pool.dispose();
  await pass(longestPingReplyMs);
  await refused;
  expect(made).toHaveLength(1);
});
