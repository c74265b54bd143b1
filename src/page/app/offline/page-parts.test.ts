import { expect, test } from "vitest";
import type { PageFiles } from "./page-cache.ts";
import { pageParts } from "./page-parts.ts";

const files: PageFiles = {
  shell: [
    { url: "index.html", revision: "1" },
    { url: "assets/main-12345678.js", revision: null },
  ],
  assets: [
    "assets/main-12345678.js",
    "assets/engine-worker-12345678.js",
    "assets/runtime-jspi-12345678.js",
    "assets/ort-wasm-simd-threaded.jspi-12345678.wasm",
    "assets/ort-wasm-simd-threaded-12345678.wasm",
    "assets/code-editor-12345678.js",
    "assets/monaco-12345678.js",
    "assets/guide-pane-12345678.js",
    "assets/inter-cyrillic-wght-normal-12345678.woff2",
  ],
  needs: { "assets/runtime-jspi-12345678.js": ["assets/ort-wasm-simd-threaded.jspi-12345678.wasm"] },
  models: ["models/stories260k/config.json"],
  bytes: {
    "index.html": 10,
    "assets/main-12345678.js": 100,
    "assets/engine-worker-12345678.js": 1_000,
    "assets/ort-wasm-simd-threaded-12345678.wasm": 50_000,
    "assets/code-editor-12345678.js": 20,
    "assets/monaco-12345678.js": 300,
    "assets/guide-pane-12345678.js": 7,
    "models/stories260k/config.json": 5,
  },
};

const seen = (kept: readonly string[]) =>
  pageParts(files, new Set(kept)).map(({ cachedCount: have, count, cachedBytes, missingBytes }) => [
    have,
    count,
    cachedBytes,
    missingBytes,
  ]);

test("of a first visit that ran nothing, the page itself is kept", () => {
  expect(seen([])).toEqual([
    [2, 2, 110, 0],
    [0, 2, 0, 1_005],
    [0, 2, 0, 320],
    [0, 1, 0, 7],
  ]);
});

test("what was used counts, a runtime only where it is the one that was used", () => {
  const kept = [
    "assets/engine-worker-12345678.js",
    "assets/ort-wasm-simd-threaded-12345678.wasm",
    "models/stories260k/config.json",
    "assets/monaco-12345678.js",
  ];
  expect(seen(kept)).toEqual([
    [2, 2, 110, 0],
    [3, 3, 51_005, 0],
    [1, 2, 300, 20],
    [0, 1, 0, 7],
  ]);
  expect(pageParts(files, new Set(kept))[2]?.missing).toEqual(["assets/code-editor-12345678.js"]);
});
