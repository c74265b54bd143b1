/** Long work in slices ends, reports its progress, and can be stopped and continued. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runInSlices } from "./in-slices.ts";

/** The clock by which slices are measured. Only the steps move it, so that a busy machine does not shorten slices. */
let now = 0;
beforeEach(() => void vi.spyOn(performance, "now").mockImplementation(() => now));
afterEach(() => void vi.restoreAllMocks());

/** Each step takes five milliseconds. */
function* busy(steps: number) {
  for (let step = 0; step < steps; step += 1) {
    now += 5;
    yield step / steps;
  }
  return "done";
}

test("what fits one slice has its result before any other task", async () => {
  const told: number[] = [];
  let tasks = 0;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    tasks += 1;
  };
  port2.postMessage(null);
  expect(await runInSlices(busy(1), { onProgress: (share) => told.push(share) })).toBe("done");
  expect({ tasks, told }).toEqual({ tasks: 0, told: [] });
  port1.close();
});

test("longer work lets other tasks run between its slices", async () => {
  const told: number[] = [];
  let tasks = 0;
  setImmediate(() => {
    tasks += 1;
  });
  await runInSlices(busy(40), { onProgress: (share) => told.push(share) });
  expect(tasks).toBeGreaterThan(0);
  expect(told.length).toBeGreaterThan(1);
  expect(told).toEqual([...told].sort((a, b) => a - b));
});

test("work that was stopped goes on where it was", async () => {
  const steps = busy(40);
  const stop = new AbortController();
  const told: number[] = [];
  const onProgress = (share: number) => {
    told.push(share);
    stop.abort();
  };
  await expect(runInSlices(steps, { signal: stop.signal, onProgress })).rejects.toThrow("aborted");
  const before = told.length;
  expect(await runInSlices(steps, { onProgress: (share) => told.push(share) })).toBe("done");
  expect(before).toBe(1);
  expect(told[1]).toBeGreaterThan(told[0] ?? 1);
});

test("what the work throws is thrown", async () => {
  function* fails() {
    yield 0;
    throw new Error("bad bytes");
  }
  await expect(runInSlices(fails())).rejects.toThrow("bad bytes");
});
