/**
 * A deadline counts only time in which a mod could have replied. Tested with the clock alone, and with the real guest in a
 * thread.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  defaultDeadlines,
  graceDeadlines,
  longestProcessStandstillMs,
  repliesBeforeGrace,
  startDeadline,
} from "./deadlines.ts";
import { FramePings } from "./frame-pings.ts";
import { connectModHost } from "./port-mod-host.ts";
import { lettersTokenizer } from "./testing/letters.ts";
import { type NodeGuest, startNodeGuest } from "./testing/node-guest.ts";
import { addedEvent } from "./testing/sample-events.ts";
import { createTestFrame } from "./testing/test-frame.ts";

/** The test moves the clock of the deadlines; messages use real ports. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

const started: NodeGuest[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const guest of started.splice(0)) guest.kill();
});

test.each([
  ["at once", 250, () => 0, "deadline", 250, 4],
  ["within a tick", 250, () => 49, "deadline", 250, 4],
  ["after two ticks and a half", 250, () => 125, "deadline", 650, 4],
  [
    "once after a second, then at once",
    250,
    (ping: number) => (ping === 2 ? 1_000 : 0),
    "deadline",
    1_200,
    4,
  ],
  ["never", 250, () => null, "standstill", 50 + longestProcessStandstillMs, 1],
  ["never, and the deadline is long", 20_000, () => null, "standstill", 8_000, 1],
  [
    "never, and the deadline is as short as can be",
    1,
    () => null,
    "standstill",
    4 + longestProcessStandstillMs,
    1,
  ],
  ["too late every time", 250, () => 800, "standstill", 3_200, 4],
] as const)("pings are answered %s", (_, deadline, lagOf, by, after, pings) => {
  const ends: [string, number][] = [];
  let sent = 0;
  let now = 0;
  const send = (onReply: () => void) => {
    sent += 1;
    const lag = lagOf(sent);
    if (lag === 0) onReply();
    else if (lag !== null) setTimeout(onReply, lag);
  };
  startDeadline(deadline, { send }, (lateBy) => ends.push([lateBy, now]));
  for (now = 1; now <= after; now++) vi.advanceTimersByTime(1);
  vi.advanceTimersByTime(10_000);
  expect(ends).toEqual([[by, after]]);
  expect(sent).toBe(pings);
});

test("an answer within the first tick costs no ping", () => {
  const send = vi.fn();
  const stop = startDeadline(250, { send }, () => undefined);
  vi.advanceTimersByTime(49);
  stop();
  vi.advanceTimersByTime(10_000);
  expect(send).not.toHaveBeenCalled();
});

test("the answer to an earlier ping counts for nothing", async () => {
  const frame = createTestFrame();
  const pings = new FramePings(frame.pingPort);
  const answered: string[] = [];
  pings.send(() => answered.push("first"));
  await new Promise<void>((resolve) => {
    pings.send(() => {
      answered.push("second");
      resolve();
    });
  });
  expect(answered).toEqual(["second"]);
  pings.close();
  await frame.closed;
});

/** A guest like one in a separate process: while it is paused, nothing reaches its mod or its frame. */
async function start(handlers: string) {
  const guest = startNodeGuest(`import { mod } from "midtoken/mod";\nexport default mod({ ${handlers} });`);
  started.push(guest);
  const { port1, port2 } = new MessageChannel();
  let isPaused = false;
  const kept: unknown[] = [];
  guest.port.onmessage = ({ data }) => port2.postMessage(data);
  port2.onmessage = ({ data }) => (isPaused ? kept.push(data) : guest.port.postMessage(data));
  // Like the guest's own port without the relay: the host gets a close event when the guest has ended.
  void guest.ended.then(() => port2.close());
  const onKill = vi.fn(() => {
    port2.close();
    guest.kill();
  });
  const about = { about: guest.compiled.about, tokenizerData: lettersTokenizer };
  const { pingPort } = guest;
  const host = await connectModHost({ port: port1, pingPort }, { name: "test", ...about, seed: 1, onKill });
  return {
    host,
    frame: guest.frame,
    onKill,
    pause() {
      isPaused = true;
      guest.frame.pause();
    },
    resume() {
      isPaused = false;
      for (const data of kept.splice(0)) guest.port.postMessage(data);
      guest.frame.resume();
    },
    /** The mod's thread gets no processor time, but its process does. */
    pauseThread() {
      isPaused = true;
    },
    /**
     * Moves the clock to the end of a tick, of `length` milliseconds, and waits until the ping that goes with the next tick is
     * answered. A guest that has ended is sent no ping.
     */
    async tick(length = defaultDeadlines.event / 5) {
      const answered = new Promise<"answered">((resolve) =>
        pingPort.addEventListener("message", () => resolve("answered"), { once: true }),
      );
      const ended = guest.ended.then(() => "ended" as const);
      vi.advanceTimersByTime(length);
      expect(await Promise.race([answered, ended])).toBe("answered");
    },
  };
}

const answers = "added: (_, actions) => actions.forceTokens([3])";
const honestReply = { action: { type: "forceTokens", tokens: [3] }, fault: null };

test("a mod whose process gets no time is waited for, and answers when it does", async () => {
  const { host, onKill, pause, resume } = await start(answers);
  expect(await host.ask(addedEvent)).toMatchObject(honestReply);
  pause();
  const asked = host.ask(addedEvent);
  vi.advanceTimersByTime(8 * defaultDeadlines.event);
  resume();
  expect(await asked).toMatchObject(honestReply);
  expect(await host.ask(addedEvent)).toMatchObject(honestReply);
  expect(onKill).not.toHaveBeenCalled();
});

test("a mod that loops is stopped at its deadline: its frame goes on answering", async () => {
  const { host, onKill, tick, frame } = await start("added() { for (;;) {} }");
  const asked = host.ask(addedEvent);
  for (let count = 1; count < 5; count++) await tick();
  vi.advanceTimersByTime(defaultDeadlines.event / 5 - 1);
  expect(onKill).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onKill).toHaveBeenCalledOnce();
  const message = 'The mod "test" did not reply to “added” within 250 ms and was stopped.';
  expect((await asked).fault).toEqual({ kind: "timeout", message });
  await frame.closed;
});

test("a mod that has answered before may be late once, by three deadlines", async () => {
  const { host, onKill, pauseThread, resume, tick } = await start(answers);
  for (let count = 1; count < repliesBeforeGrace; count++) await host.ask(addedEvent);
  pauseThread();
  const late = host.ask(addedEvent);
  for (let count = 1; count < 5; count++) await tick();
  vi.advanceTimersByTime(defaultDeadlines.event / 5);
  for (let count = 1; count < 5; count++) await tick((graceDeadlines * defaultDeadlines.event) / 5);
  resume();
  expect(await late).toMatchObject(honestReply);
  expect(await host.ask(addedEvent)).toMatchObject(honestReply);

  pauseThread();
  const again = host.ask(addedEvent);
  for (let count = 1; count < 5; count++) await tick();
  vi.advanceTimersByTime(defaultDeadlines.event / 5);
  expect(onKill).toHaveBeenCalledOnce();
  expect((await again).fault?.message).toContain("did not reply to “added” within 250 ms");
});

test("a mod that loops once it has answered is stopped after four deadlines in all", async () => {
  const { host, onKill, tick } = await start("added({ step }) { while (step > 3) {} }");
  for (let count = 1; count < repliesBeforeGrace; count++) await host.ask(addedEvent);
  const asked = host.ask({ ...addedEvent, step: 4 });
  for (let count = 1; count < 5; count++) await tick();
  vi.advanceTimersByTime(defaultDeadlines.event / 5);
  for (let count = 1; count < 5; count++) await tick((graceDeadlines * defaultDeadlines.event) / 5);
  expect(onKill).not.toHaveBeenCalled();
  vi.advanceTimersByTime((graceDeadlines * defaultDeadlines.event) / 5);
  expect((await asked).fault?.message).toBe(
    'The mod "test" did not reply to “added” within 1000 ms and was stopped.',
  );
});

test("a process that never runs again ends with a fault that says so", async () => {
  const { host, onKill, pause } = await start(answers);
  pause();
  const asked = host.ask(addedEvent);
  vi.advanceTimersByTime(defaultDeadlines.event + longestProcessStandstillMs);
  expect(onKill).toHaveBeenCalledOnce();
  expect((await asked).fault).toMatchObject({
    kind: "timeout",
    message: expect.stringMatching(
      /^The mod "test" did not reply to “added” and was stopped: .* for 3000 ms\. Possible reasons: a mod has used up the memory/,
    ),
  });
});
