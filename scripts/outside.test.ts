/** Sources, tests, benches and scripts reach outside the repository through `MIDTOKEN_MODELS` alone, which one file reads. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { programPaths } from "./testing/programs.ts";

const root = resolve(import.meta.dirname, "..");
/** What reads `MIDTOKEN_MODELS`; the second says only whether it is set. */
const doors = ["scripts/models-folder.ts", "scripts/test.mjs"];

/** Folders in which a machine keeps what is not the repository's. */
const machinesFolders = /^\/(work|home|root|Users|tmp|var|mnt|opt|srv)(\/|$)/;

/** What looks like a way out and opens nothing: hostile paths that tests give, a folder that a run writes, and where the command line keeps models, which tests give another folder for. */
const harmless = new Set([
  "src/runtime/engine/files/files.test.ts: ../../x",
  "src/runtime/engine/files/files.test.ts: ../../../.sshd_key",
  "src/core/masks/json-schema/scalars/formats.test.ts: ../a",
  "e2e/playwright.config.ts: ../test-results/browser",
  "src/package/node/disk-store.ts: homedir(",
  "src/package/node/files.test.ts: ../secret.txt",
  // Caches that the first build and the first test of PostgreSQL fill.
  "scripts/packed-runtimes.ts: ../node_modules/.cache/midtoken-runtimes",
  "src/package/node/testing/postgres-server.ts: ../../../../node_modules/.cache/midtoken-postgres",
  // From the address of a page.
  "e2e/bench/decode/gpu-rows.ts: ../webgpu/rows.html",
  "e2e/bench/layers/cuts.ts: ../webgpu/engine.html",
  // In a file that it writes.
  "scripts/vectors/index.ts: ../known-vector.ts",
  "e2e/bench/package/openai-suite.ts: ../http/tab.html",
  // The package's README, as the documents beside it link to it.
  "scripts/package/package-docs.ts: ../README.md",
  "scripts/package/package-docs.test.ts: ../README.md",
  // Addresses of git remotes that are folders.
  "scripts/package/public-addresses.test.ts: /work/main",
  "scripts/package/public-addresses.test.ts: ../midtoken",
  // A hostile key of a store.
  "src/package/node/store/store.conformance.ts: ../../etc/passwd",
  // Ids and names that are no paths, of workspaces and mods that are refused.
  "src/page/app/workspace/hostile-workspace.test.ts: ../a",
  "src/package/http/hostile-requests.test.ts: ../a",
]);

/** Ways out of the repository in a program, each as it is written there. */
function waysOut(path: string, text: string): string[] {
  const here = resolve(root, dirname(path));
  const found: string[] = [];
  for (const [, written = ""] of text.matchAll(/["'`]((?:\.\.?)?\/[^"'`\n\\$]*|\.\.)/g)) {
    if (written.startsWith("/")) {
      if (machinesFolders.test(written)) found.push(written);
      continue;
    }
    // Read from the program's own folder, as imports are: what is meant to be read from the root names nothing there.
    const named = resolve(here, written.replace(/[?*{].*/, ""));
    const isInside = named === root || (!relative(root, named).startsWith("..") && existsSync(named));
    if (written.startsWith("..") && !isInside) found.push(written);
  }
  // A folder that is climbed out of step by step, or whatever it may be.
  for (const [written] of text.matchAll(/"\.\.", *"\.\."|\}\/\.\.(?=[/`])/g)) found.push(written);
  for (const [written] of text.matchAll(/\bhomedir\(|process\.env\.MIDTOKEN_MODELS/g)) found.push(written);
  return doors.includes(path) ? [] : found;
}

/** Their texts are planted faults. */
const planted = [
  "scripts/outside.test.ts",
  "src/layers.test.ts",
  "src/import-graph.test.ts",
  "src/page-features.test.ts",
];

test("nothing reaches outside", () => {
  const all = [
    ...["src", "e2e", "scripts"].flatMap((folder) => programPaths(root, folder)),
    "vite.config.ts",
  ];
  expect(all.length).toBeGreaterThan(400);
  const found = all
    .filter((path) => !planted.includes(path))
    .flatMap((path) => waysOut(path, readFileSync(join(root, path), "utf8")).map((way) => `${path}: ${way}`))
    .filter((way) => !harmless.has(way));
  expect(found).toEqual([]);
});

describe("a planted way out is found", () => {
  test.each([
    ["src/core/masks/planted.ts", 'readFileSync("../shared/tokenizers/x/tokenizer.json")'],
    ["src/core/masks/planted.ts", "readFileSync(`../shared/tokenizers/x/tokenizer.json`)"],
    ["scripts/planted.ts", 'resolve(import.meta.dirname, "../../shared/models")'],
    ["src/core/tools/planted.ts", 'const folder = modelsFolder() ?? "../shared/models";'],
    ["src/core/tools/planted.ts", `const shared = \`\${modelsFolder()}/..\`;`],
    ["src/runtime/engine/planted.ts", 'join(models, "../tokenizers/qwen3-0.6b")'],
    ["e2e/planted.ts", 'join(import.meta.dirname, "..", "..", "shared")'],
    ["e2e/planted.ts", 'readFileSync("/work/shared/models/x.bin")'],
    ["e2e/planted.ts", 'join(homedir(), "models")'],
    ["e2e/planted.ts", "const folder = process.env.MIDTOKEN_MODELS;"],
  ])("%s: %s", (path, text) => {
    expect(waysOut(path, text)).toHaveLength(1);
  });

  test.each([
    ["src/core/masks/planted.ts", 'import { test } from "../../layers.test.ts";'],
    ["e2e/planted.ts", 'new URL("..", import.meta.url)'],
    ["src/page/examples/planted.ts", 'import text from "./skeleton.ts?raw";'],
    ["e2e/planted.ts", 'fetch("/models/stories260k/")'],
  ])("%s: %s is none", (path, text) => {
    expect(waysOut(path, text)).toEqual([]);
  });
});
