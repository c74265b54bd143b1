import { expect, test } from "vitest";
import { cacheTree } from "./cache-tree.ts";
import { checkFileTree } from "./file-tree.conformance.ts";
import { memoryCaches } from "./testing/memory-caches.ts";
import { memoryTree } from "./testing/memory-tree.ts";

// The browser's own folder is checked in Chromium and Firefox, in `e2e/files`; the disk of Node in `src/package/node`.
test.each([
  ["memory", memoryTree],
  ["the browser's cache", () => cacheTree("files", memoryCaches())],
])("%s keeps files as it should", async (_name, create) => {
  expect(await checkFileTree(create())).toEqual([]);
});
