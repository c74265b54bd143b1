import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createUpdateScheduler, updateIntervalMs } from "./next-frame.ts";

let frames: (() => void)[] = [];
const drawFrame = () => {
  for (const frame of frames.splice(0)) frame();
};

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal("document", { hidden: false });
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the first records are shown in the next frame, those that follow at once wait for a while", () => {
  const next = createUpdateScheduler(() => Date.now());
  const deliver = vi.fn();
  next(deliver);
  drawFrame();
  expect(deliver).toHaveBeenCalledTimes(1);
  next(deliver);
  drawFrame();
  vi.advanceTimersByTime(updateIntervalMs - 1);
  drawFrame();
  expect(deliver).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  drawFrame();
  expect(deliver).toHaveBeenCalledTimes(2);
});

test("a page that is hidden before its frame comes delivers all the same, and once", () => {
  const next = createUpdateScheduler(() => Date.now());
  const deliver = vi.fn();
  next(deliver);
  vi.advanceTimersByTime(100);
  expect(deliver).toHaveBeenCalledTimes(1);
  drawFrame();
  expect(deliver).toHaveBeenCalledTimes(1);
});
