import type { TestCase } from "@playwright/test/reporter";
import { afterEach, expect, test, vi } from "vitest";
import RunningTests from "./running-tests.ts";

afterEach(() => {
  vi.useRealTimers();
});

const named = (...path: string[]) => ({ titlePath: () => ["", ...path] }) as TestCase;

test("names the tests that have run for 20 s, and at the end those that have not ended", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const lines: string[] = [];
  const reporter = new RunningTests({}, (line) => lines.push(line));
  const quick = named("webgpu", "a.spec.ts", "quick");
  const slow = named("webgpu", "b.spec.ts", "slow");
  reporter.onBegin();
  reporter.onTestBegin(quick);
  reporter.onTestBegin(slow);
  vi.advanceTimersByTime(5_000);
  reporter.onTestEnd(quick);
  vi.advanceTimersByTime(36_000);
  expect(lines).toEqual([
    "still running after 20 s: webgpu › b.spec.ts › slow",
    "still running after 40 s: webgpu › b.spec.ts › slow",
  ]);
  reporter.onTestBegin(quick);
  reporter.onEnd();
  expect(lines.slice(2)).toEqual([
    "still running after 41 s: webgpu › b.spec.ts › slow",
    "still running after 0 s: webgpu › a.spec.ts › quick",
  ]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(4);
});
