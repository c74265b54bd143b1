import { expect, test } from "vitest";
import { createCacheFileTree } from "./cache-tree.ts";
import { checkFileTree } from "./file-tree.conformance.ts";
import { createMemoryCaches } from "./testing/memory-caches.ts";
import { createMemoryTree } from "./testing/memory-tree.ts";

// `e2e/files` checks the browser's own folder in Chromium and Firefox, `src/package/node` checks Node's disk.
test.each([
  ["memory", createMemoryTree],
  ["the browser's cache", () => createCacheFileTree("files", createMemoryCaches())],
])("%s keeps files as it should", async (_name, create) => {
  expect(await checkFileTree(create())).toEqual([]);
});
