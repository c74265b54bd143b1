import { expect, test } from "vitest";
import { cacheTree } from "./cache-tree.ts";
import { checkFileTree } from "./file-tree.conformance.ts";
import { memoryCaches } from "./testing/memory-caches.ts";
import { memoryTree } from "./testing/memory-tree.ts";

// `e2e/files` checks the browser's own folder in Chromium and Firefox, `src/package/node` checks Node's disk.
test.each([
  ["memory", memoryTree],
  ["the browser's cache", () => cacheTree("files", memoryCaches())],
])("%s keeps files as it should", async (_name, create) => {
  expect(await checkFileTree(create())).toEqual([]);
});
