/** The outbox sends a watcher no more than the watcher confirms, at a limited rate. */
import { expect, test, vi } from "vitest";
import { nextTask } from "../../core/base/next-task.ts";
import { createRateLimiter } from "./allowance.ts";
import { splitIntoFrames } from "./framing.ts";
import { LiveError, liveLimits } from "./limits.ts";
import { createPacedSender } from "./outbox.ts";

const small = splitIntoFrames("a small message");
const large = splitIntoFrames("x".repeat(32_768));

/** Whether the outbox is ready by the next task. */
async function isReady(ready: Promise<void>): Promise<boolean> {
  let is = false;
  void ready.then(() => {
    is = true;
  });
  await nextTask();
  return is;
}

test("an allowance is used up, and comes back with time", () => {
  let ms = 0;
  const allowance = createRateLimiter({ atOnce: 3, perSecond: 10 }, () => ms);
  expect([1, 2, 3, 4].map(() => allowance.take())).toEqual([true, true, true, false]);
  expect(allowance.waitMs(1)).toBe(100);
  ms = 100;
  expect([1, 2].map(() => allowance.take())).toEqual([true, false]);
  ms = 1_000_000;
  expect(allowance.waitMs(3)).toBe(0);
  expect(allowance.waitMs(4)).toBeGreaterThan(0);
});

test("large messages stop when the watcher confirms none, and go on when it does", async () => {
  const sent: number[] = [];
  const outbox = createPacedSender({ send: (frame) => void sent.push(frame.length) }, () => 0);
  let messages = 0;
  while (await isReady(outbox.ready())) {
    outbox.send(large);
    messages += 1;
  }
  expect(messages).toBe(8);
  expect(sent).toHaveLength(8 * large.length);
  const again = outbox.ready();
  outbox.taken(1);
  expect(await isReady(again)).toBe(true);
});

test("small messages stop at the number that is not confirmed, whatever the clock says", async () => {
  let ms = 0;
  const outbox = createPacedSender({ send() {} }, () => {
    ms += 1_000;
    return ms;
  });
  let messages = 0;
  for (; await isReady(outbox.ready()); messages += 1) outbox.send(small);
  expect(messages).toBe(liveLimits.unconfirmed.messages - 1);
});

test("small messages wait for the pace", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    let ms = 0;
    const outbox = createPacedSender({ send() {} }, () => ms);
    let messages = 0;
    for (; await isReady(outbox.ready()); messages += 1) outbox.send(small);
    expect(messages).toBe(liveLimits.sendPace.atOnce - 1);
    const again = outbox.ready();
    ms += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await isReady(again)).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test("a watcher cannot confirm what was not sent", () => {
  const outbox = createPacedSender({ send() {} }, () => 0);
  expect(() => outbox.taken(1)).toThrow(LiveError);
  outbox.send(small);
  outbox.taken(1);
  expect(() => outbox.taken(1)).toThrow("has read 1 message, but only 0 were sent");
});

test("whoever waits when it is closed waits no longer", async () => {
  const outbox = createPacedSender({ send() {} }, () => 0);
  for (let count = 0; count < 8; count += 1) outbox.send(large);
  const ready = outbox.ready();
  outbox.close();
  expect(await isReady(ready)).toBe(true);
});
