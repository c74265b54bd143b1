import { beforeEach, expect, test } from "vitest";
import { loadEntryPrefix, recordStage, timeStage } from "./load-timing.ts";

const noted = () =>
  performance.getEntriesByType("measure").filter(({ name }) => name.startsWith(loadEntryPrefix));
// Other test files of this worker load models.
beforeEach(() => performance.clearMeasures());

test("a stage is an entry of the profiler, and its result is passed on", async () => {
  expect(await timeStage("session", async () => 7)).toBe(7);
  recordStage("reading weights", 10, 5);
  expect(
    noted()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["midtoken load: reading weights", "midtoken load: session"]);
  expect(noted().find(({ name }) => name.endsWith("reading weights"))).toMatchObject({
    startTime: 10,
    duration: 5,
  });
});

test("of a stage that fails there is none", async () => {
  await expect(timeStage("probe", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(noted()).toEqual([]);
});
