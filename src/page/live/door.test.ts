/** Who is connected while many ask: connections are counted, and honest watchers get in during a flood. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connectionQueueLimits, createConnectionQueue } from "./door.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** "hostile" never connects, "honest" does after 100 ms. */
function openDoor() {
  let ms = 0;
  const seen = { begun: 0, now: 0, most: 0, refused: 0, honest: 0 };
  const door = createConnectionQueue<"hostile" | "honest">(
    {
      connect: (request, signal) =>
        new Promise((resolve) => {
          seen.begun += 1;
          seen.now += 1;
          seen.most = Math.max(seen.most, seen.now);
          const end = () => {
            seen.now -= 1;
            resolve();
          };
          signal.addEventListener("abort", end, { once: true });
          if (request === "honest")
            setTimeout(() => {
              if (signal.aborted) return;
              seen.honest += 1;
              end();
            }, 100);
        }),
      refuse() {
        seen.refused += 1;
      },
    },
    { now: () => ms },
  );
  const pass = async (by: number) => {
    for (let passed = 0; passed < by; passed += 50) {
      ms += 50;
      await vi.advanceTimersByTimeAsync(50);
    }
  };
  return { door, seen, pass };
}

test("of 600 requests at once few are begun, and none is kept", async () => {
  const { door, seen, pass } = openDoor();
  for (let count = 0; count < 600; count += 1) door.ask("hostile");
  expect(seen).toMatchObject({
    begun: connectionQueueLimits.connecting,
    most: connectionQueueLimits.connecting,
  });
  await pass(60_000);
  expect(seen.most).toBe(connectionQueueLimits.connecting);
  expect(seen.begun).toBe(connectionQueueLimits.connecting + connectionQueueLimits.waiting);
  expect(seen.refused).toBe(connectionQueueLimits.pace.atOnce - seen.begun);
  expect(seen.now).toBe(0);
});

test("a watcher who asks after the flood, or asks again during it, is connected within seconds", async () => {
  const { door, seen, pass } = openDoor();
  for (let count = 0; count < 600; count += 1) door.ask("hostile");
  await pass(500);
  door.ask("honest");
  await pass(connectionQueueLimits.shareMs);
  expect(seen.honest).toBe(1);
  // As many a second as the server passes on of one address.
  for (let second = 0; second < 20; second += 1) {
    for (let count = 0; count < 4; count += 1) door.ask("hostile");
    await pass(500);
    if (second % 2 === 0) door.ask("honest");
    await pass(500);
  }
  expect(seen.honest).toBeGreaterThan(5);
  expect(seen.most).toBe(connectionQueueLimits.connecting);
});

test("a connection that takes long is ended after its time even if nobody else asks", async () => {
  const { door, seen, pass } = openDoor();
  door.ask("hostile");
  await pass(connectionQueueLimits.mostMs - 100);
  expect(seen.now).toBe(1);
  await pass(200);
  expect(seen.now).toBe(0);
});

test("closing ends every connection that is being made, and nobody is connected later", async () => {
  const { door, seen, pass } = openDoor();
  for (let count = 0; count < 20; count += 1) door.ask("hostile");
  door.close();
  door.ask("honest");
  await pass(5_000);
  expect(seen).toMatchObject({ begun: connectionQueueLimits.connecting, now: 0, honest: 0 });
});
