/**
 * Pings reach the guest's thread; if it does not answer, the relay answers instead. Real ports, and a clock that the test
 * moves.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pingPatienceMs, relayPings } from "./ping-relay.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
  vi.useRealTimers();
});

function start() {
  const engine = new MessageChannel();
  const guest = new MessageChannel();
  closings.push(relayPings(engine.port2, guest.port1));
  const next = (port: MessagePort) =>
    new Promise<unknown>((resolve) => {
      port.onmessage = ({ data }) => resolve(data);
    });
  return {
    ping: (ping: number) => engine.port1.postMessage(ping),
    answer: (ping: number) => guest.port2.postMessage(ping),
    atGuest: () => next(guest.port2),
    atEngine: () => next(engine.port1),
  };
}

test("the guest's own answer is passed on", async () => {
  const { ping, answer, atGuest, atEngine } = start();
  ping(1);
  expect(await atGuest()).toBe(1);
  answer(1);
  expect(await atEngine()).toBe(1);
});

test("a guest that is silent is answered for after its patience; its late answer counts for nothing", async () => {
  const { ping, answer, atGuest, atEngine } = start();
  ping(1);
  expect(await atGuest()).toBe(1);
  const first = atEngine();
  vi.advanceTimersByTime(pingPatienceMs);
  expect(await first).toBe(1);
  ping(2);
  expect(await atGuest()).toBe(2);
  const second = atEngine();
  answer(1);
  answer(2);
  expect(await second).toBe(2);
});
