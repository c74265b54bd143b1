/** The messages that a watcher accepts: floods of each kind, honest and hostile. The tests count work, not time. */
import { describe, expect, test } from "vitest";
import { nextTask } from "../../core/base/next-task.ts";
import { sampleTrace } from "../../core/trace/testing/sample-trace.ts";
import { splitIntoFrames } from "./framing.ts";
import { createWatcherInbox } from "./inbox.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { createPacedSender } from "./outbox.ts";
import { helloMessage, type SharerMessage, serializeMessage, serializeRecordsMessage } from "./protocol.ts";
import { createSharerMessageReader } from "./watching.ts";

const { unconfirmed, acceptPace, frameBytes, messageBytes } = liveLimits;
const flood = 20_000;

interface Options {
  /** Milliseconds that the reading of a message takes. */
  readonly readMs?: number;
  readonly read?: (text: string) => void;
}

function inbox({ readMs = 0, read = () => {} }: Options = {}) {
  let ms = 0;
  const seen = { read: 0, confirmed: 0, fault: null as unknown, pauses: 0, closed: 0 };
  const box = createWatcherInbox(
    {
      read(text) {
        seen.read += 1;
        ms += readMs;
        read(text);
      },
      confirm(messages) {
        seen.confirmed += messages;
      },
      fail(cause) {
        seen.fault = cause;
      },
      closed() {
        seen.closed += 1;
      },
    },
    {
      now: () => ms,
      async pause() {
        seen.pauses += 1;
        await nextTask();
      },
    },
  );
  const say = (text: string) => {
    for (const frame of splitIntoFrames(text)) box.frame(frame);
  };
  const pass = async (by: number) => {
    ms += by;
    await nextTask();
  };
  return { box, say, seen, pass };
}

const settle = async () => {
  for (let turn = 0; turn < 400; turn += 1) await nextTask();
};

const [request, ...others] = sampleTrace({ tokens: 30 }).records;
const messages: Readonly<Record<SharerMessage["type"], string>> = {
  hello: serializeMessage(helloMessage({ key: "", signature: "" })),
  run: serializeMessage({ type: "run" }),
  records: serializeRecordsMessage([JSON.stringify(request)]),
  paused: serializeMessage({ type: "paused", isPaused: true }),
  ended: serializeMessage({ type: "ended", failure: null }),
  over: serializeMessage({ type: "over", why: "stopped" }),
};

describe("20,000 messages that come together", () => {
  test.each(Object.keys(messages) as SharerMessage["type"][])(
    "of %s: at most as many are read as an honest sharer sends, and the watching ends with a sentence",
    async (type) => {
      const { say, seen } = inbox();
      for (let count = 0; count < flood; count += 1) say(messages[type]);
      await settle();
      expect(seen.read).toBeLessThanOrEqual(acceptPace.atOnce);
      expect(seen.fault).toBeInstanceOf(LiveError);
      expect(String(seen.fault)).toContain("so the connection was closed");
    },
  );

  test("of all types in turn, to the end that reads them: the first that an honest sharer does not send ends it", async () => {
    const heard: string[] = [];
    const sink = {
      run: () => void heard.push("run"),
      records: () => void heard.push("records"),
      paused: () => void heard.push("paused"),
      ended: () => void heard.push("ended"),
      over: () => void heard.push("over"),
    };
    for (const type of ["run", "paused", "ended"] as const) {
      heard.length = 0;
      const { say, seen } = inbox({ read: createSharerMessageReader(sink, () => true) });
      say(messages.hello);
      say(messages.run);
      for (let count = 0; count < flood; count += 1) say(messages[type]);
      await settle();
      expect(seen.fault).toBeInstanceOf(LiveError);
      expect(heard.length).toBeLessThanOrEqual(acceptPace.atOnce);
    }
  });
});

test("messages that come slowly enough are all read, and confirmed", async () => {
  const { say, seen, pass } = inbox();
  for (let count = 0; count < 2_000; count += 1) {
    say(messages.paused);
    await pass(20);
  }
  expect(seen).toMatchObject({ read: 2_000, fault: null });
  expect(seen.confirmed).toBeGreaterThan(2_000 - liveLimits.confirmAfter.messages);
});

test("a sharer that goes faster than the pace is disconnected, also over a long time", async () => {
  const { say, seen, pass } = inbox();
  for (let count = 0; count < 2_000; count += 1) {
    say(messages.paused);
    await pass(12);
  }
  expect(String(seen.fault)).toContain("faster than a run produces them");
  expect(seen.read).toBeLessThan(2_000);
});

test("large messages are read in slices, however fast they come, and what waits is bounded", async () => {
  const { say, seen } = inbox({ readMs: 3 });
  const large = "x".repeat(20_000);
  for (let count = 0; count < unconfirmed.messages; count += 1) say(large);
  expect(seen.read).toBeLessThan(10);
  await settle();
  expect(seen).toMatchObject({ read: unconfirmed.messages, fault: null });
  expect(seen.pauses).toBeGreaterThan(10);
});

describe("more than there is room for ends it", () => {
  const hangs = () => inbox({ readMs: 9 });
  test("in messages", () => {
    const { say, seen } = hangs();
    const large = "x".repeat(20_000);
    for (let count = 0; count < 200; count += 1) say(large);
    expect(String(seen.fault)).toContain("more data than this page had room for");
    expect(seen.read).toBeLessThan(5);
  });

  test("in bytes", () => {
    const { say, seen } = hangs();
    const largest = "x".repeat(messageBytes);
    let said = 0;
    for (; !seen.fault && said < 10; said += 1) say(largest);
    expect(said).toBeLessThanOrEqual(3);
    expect(String(seen.fault)).toContain("more data than this page had room for");
  });

  test("in frames of one message that never ends", () => {
    const { box, seen } = hangs();
    let said = 0;
    for (; !seen.fault && said < 10_000; said += 1) box.frame(new Uint8Array(frameBytes));
    expect(said).toBeLessThanOrEqual(messageBytes / frameBytes + 2);
    expect(seen).toMatchObject({ read: 0 });
  });
});

test("the largest message that a sharer may send beside a full window is read", async () => {
  const { say, seen } = inbox({ readMs: 9 });
  const outbox = createPacedSender({ send: (frame) => box.frame(frame) }, () => 0);
  const { box, seen: got } = inbox({ readMs: 9 });
  for (let count = 0; count < 7; count += 1) outbox.send(splitIntoFrames("x".repeat(32_768)));
  outbox.send(splitIntoFrames("x".repeat(messageBytes)));
  await settle();
  expect(got).toMatchObject({ read: 8, fault: null });
  say("x");
  expect(seen.fault).toBeNull();
});

test("what came before the other end was gone is read first, and nothing after it", async () => {
  const { box, say, seen } = inbox({ readMs: 9 });
  for (let count = 0; count < 5; count += 1) say(messages.run);
  box.closed();
  say(messages.run);
  expect(seen.closed).toBe(0);
  await settle();
  expect(seen).toMatchObject({ read: 5, closed: 1, fault: null });
});

test("after a message that cannot be read nothing more is", async () => {
  const { box, say, seen } = inbox({
    readMs: 9,
    read() {
      throw new LiveError("No.");
    },
  });
  for (let count = 0; count < 5; count += 1) say(messages.run);
  box.closed();
  await settle();
  expect(seen).toMatchObject({ read: 1, closed: 0, fault: new LiveError("No.") });
});

test("records of a hostile run are checked one message at a time, so that a flood of runs keeps none but the last", async () => {
  let kept = 0;
  const sink = {
    run() {
      kept = 0;
    },
    records(records: readonly unknown[]) {
      kept += records.length;
    },
    paused() {},
    ended() {},
    over() {},
  };
  const { say, seen, pass } = inbox({ read: createSharerMessageReader(sink, () => true) });
  say(messages.hello);
  for (let count = 0; count < 1_000; count += 1) {
    say(messages.run);
    say(serializeRecordsMessage([request, ...others].map((record) => JSON.stringify(record))));
    await pass(40);
  }
  await settle();
  expect(seen.fault).toBeNull();
  expect(kept).toBeLessThanOrEqual(others.length + 1);
});
