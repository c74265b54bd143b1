import { expect, test } from "vitest";
import { chooseThreads } from "./wasm-threads.ts";

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 2],
  [6, 3],
  [8, 4],
  [64, 4],
  [undefined, 1],
])("%s processors of an isolated page: %s threads", (processors, threads) => {
  expect(chooseThreads({ isIsolated: true, processors, modelBytes: 1e8 })).toEqual({ threads, note: "" });
});

test("a page that is not isolated has one thread, and says what it would take", () => {
  const { threads, note } = chooseThreads({ isIsolated: false, processors: 8, modelBytes: 1e8 });
  expect(threads).toBe(1);
  expect(note).toContain("Cross-Origin-Embedder-Policy: require-corp");
});

test.each([
  { isIsolated: false, processors: 1, modelBytes: 1e8 },
  // Outside browsers.
  { isIsolated: undefined, processors: 8, modelBytes: 1e8 },
  // A small model.
  { isIsolated: true, processors: 8, modelBytes: 1e6 },
  { isIsolated: false, processors: 8, modelBytes: 1e6 },
])("one thread, and nothing to do about it: $isIsolated, $processors, $modelBytes", (facts) => {
  expect(chooseThreads(facts)).toEqual({ threads: 1, note: "" });
});
