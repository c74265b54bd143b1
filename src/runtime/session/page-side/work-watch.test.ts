/** The watch over the worker's work, tested with messages and a clock that the test controls. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { StuckWorkWatch } from "./work-watch.ts";

let stuck: string[];
let watch: StuckWorkWatch;

beforeEach(() => {
  vi.useFakeTimers();
  stuck = [];
  watch = new StuckWorkWatch({
    graceMs: 1_000,
    promptDeadlineMs: 15_000,
    onStuck: (of, why) => stuck.push(`${of} ${why}`),
  });
});
afterEach(() => {
  watch.reset();
  vi.useRealTimers();
});

test("work that ends after it was cancelled is not stuck", () => {
  watch.begin("a");
  watch.cancel("a");
  vi.advanceTimersByTime(900);
  watch.end("a");
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual([]);
});

test("work that does not end after it was cancelled is stuck, once", () => {
  watch.begin("a");
  vi.advanceTimersByTime(60_000);
  watch.cancel("a");
  watch.cancel("a");
  vi.advanceTimersByTime(900);
  expect(stuck).toEqual([]);
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual(["a cancelled"]);
});

test("work that was cancelled behind other work has its time from its beginning on", () => {
  watch.begin("a");
  watch.cancel(7);
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual([]);
  watch.end("a");
  vi.advanceTimersByTime(500);
  watch.begin(7);
  vi.advanceTimersByTime(900);
  expect(stuck).toEqual(["7 cancelled"]);
});

test("a worker that begins nothing of what was cancelled is dead", () => {
  watch.cancel("a");
  vi.advanceTimersByTime(2_000);
  expect(stuck).toEqual(["a cancelled"]);
});

test("a prompt that is shown in the middle of a request is watched by itself", () => {
  watch.begin("a");
  watch.begin(3);
  watch.cancel(3);
  watch.end(3);
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual([]);
});

test("a prompt has a deadline without a stop, and a worker that is gone has none", () => {
  watch.begin("a");
  watch.beginPrompt("a");
  vi.advanceTimersByTime(14_000);
  watch.endPrompt("a");
  watch.beginPrompt("a");
  vi.advanceTimersByTime(14_000);
  expect(stuck).toEqual([]);
  vi.advanceTimersByTime(2_000);
  expect(stuck).toEqual(["a prompt"]);
  watch.begin("b");
  watch.beginPrompt("b");
  watch.cancel("b");
  watch.reset();
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual(["a prompt"]);
});

test("a thread that is blocked loses one part of its patience, not all of it", () => {
  watch.begin("a");
  watch.cancel("a");
  // One timer fires late, as after a long task: the message that the work has ended is in the queue after it.
  vi.advanceTimersToNextTimer();
  expect(stuck).toEqual([]);
});

test("a model whose passes are slow has the time of two of them, and 10 s at most", () => {
  const pass = (durationUs: number) => watch.seePasses([{ type: "forwardPass", durationUs } as TraceRecord]);
  watch.begin("a");
  pass(3e6);
  pass(1e6);
  watch.cancel("a");
  vi.advanceTimersByTime(5_900);
  expect(stuck).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(stuck).toEqual(["a cancelled"]);
  watch.begin("b");
  pass(3_600e6);
  watch.cancel("b");
  vi.advanceTimersByTime(10_100);
  watch.begin("c");
  watch.forgetPasses();
  watch.cancel("c");
  vi.advanceTimersByTime(1_100);
  expect(stuck).toEqual(["a cancelled", "b cancelled", "c cancelled"]);
});

test("a tokenizer has twice the time of a prompt, and no clock once it is ready", () => {
  watch.begin(1);
  watch.beginTokenizer(1);
  vi.advanceTimersByTime(29_000);
  watch.endPrompt(1);
  vi.advanceTimersByTime(60_000);
  expect(stuck).toEqual([]);
  watch.beginTokenizer(1);
  vi.advanceTimersByTime(31_000);
  expect(stuck).toEqual(["1 tokenizer"]);
});
