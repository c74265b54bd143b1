/**
 * Which folder of `src` imports which. Example: `src/runtime/engine/kv-cache.ts` may import from `src/core/base`, because the
 * entry `engine` of the table lists `base`. A new folder needs an entry here and a place in `groups`.
 */
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { importsOf, isTestFile, sources } from "../scripts/testing/imports.ts";

/** The groups of folders, from the ground up: a group imports from itself and from the groups before it. */
const groups: Record<string, readonly string[]> = {
  core: ["base", "masks", "sdk", "trace", "tokenizer", "decoder", "tools", "vectors"],
  runtime: ["engine", "remote", "sandbox", "session"],
  view: ["ui", "timeline"],
  package: ["api", "http", "ai-sdk", "element", "react", "testing", "node", "assets"],
  page: ["app", "runs", "experiments", "live", "examples"],
};

/**
 * Each folder, with the folders and the npm packages that its files may import. `engine/base` allows that inner folder alone, and
 * `tools/formats.ts` that file.
 */
const table: Record<string, { folders: string[]; packages: string[] }> = {
  base: { folders: [], packages: [] },
  masks: { folders: ["base"], packages: [] },
  sdk: { folders: ["base", "masks"], packages: [] },
  examples: { folders: [], packages: ["midtoken/mod", "midtoken/strategies", "midtoken/flow"] },
  trace: { folders: ["base"], packages: ["fflate"] },
  experiments: { folders: ["base", "masks", "sdk", "trace"], packages: [] },
  runs: { folders: ["base", "trace", "experiments"], packages: ["idb"] },
  live: { folders: ["base", "trace"], packages: ["@noble/curves"] },
  vectors: { folders: ["base", "sdk"], packages: [] },
  tokenizer: { folders: ["base", "masks", "sdk"], packages: ["@huggingface/tokenizers"] },
  decoder: { folders: ["base", "masks", "sdk", "trace", "tokenizer"], packages: [] },
  tools: { folders: ["base", "masks", "sdk", "trace", "tokenizer", "decoder"], packages: [] },
  engine: {
    folders: ["base", "sdk", "decoder", "tokenizer"],
    packages: ["@huggingface/jinja", "@huggingface/transformers", "hash-wasm", "onnxruntime-web"],
  },
  remote: { folders: ["base", "sdk", "trace", "tokenizer", "decoder", "engine"], packages: [] },
  sandbox: {
    folders: ["base", "masks", "sdk", "decoder", "tokenizer"],
    packages: ["sucrase", "@huggingface/tokenizers"],
  },
  session: {
    folders: [
      "base",
      "masks",
      "sdk",
      "trace",
      "tokenizer",
      "decoder",
      "tools",
      "engine",
      "remote",
      "sandbox",
    ],
    packages: [],
  },
  api: {
    folders: [
      "base",
      "masks",
      "sdk",
      "trace",
      "tokenizer",
      "tools",
      "engine/base",
      "sandbox/compiled-mod.ts",
      "session",
    ],
    packages: [],
  },
  assets: { folders: ["base", "engine", "sandbox", "session"], packages: ["midtoken:"] },
  http: { folders: ["base", "sdk", "trace", "api"], packages: [] },
  "ai-sdk": { folders: ["base", "sdk", "trace", "api"], packages: ["@ai-sdk/provider"] },
  ui: { folders: ["base"], packages: ["react", "react-dom"] },
  timeline: { folders: ["base", "masks", "trace", "tools", "ui"], packages: ["react", "recharts"] },
  element: { folders: ["base", "trace", "ui", "timeline", "api"], packages: ["react", "react-dom"] },
  react: { folders: ["base", "sdk", "trace", "api", "element"], packages: ["react"] },
  testing: {
    folders: ["base", "masks", "sdk", "trace", "tokenizer", "decoder", "engine", "sandbox", "session", "api"],
    packages: [],
  },
  node: {
    folders: [
      "base",
      "sdk",
      "trace",
      "tokenizer",
      "decoder",
      "engine",
      "remote",
      "sandbox",
      "session",
      "api",
      "http",
    ],
    packages: [
      "node:",
      "prom-client",
      "quickjs-emscripten-core",
      "@jitl/quickjs-ng-wasmfile-release-sync",
      "keyv",
      "@keyv/redis",
      "@keyv/postgres",
      "pg",
    ],
  },
  app: {
    folders: [
      "base",
      "sdk",
      "trace",
      "experiments",
      "runs",
      "live",
      "ui",
      "timeline",
      "tools/formats.ts",
      "sandbox/compiled-mod.ts",
      "session",
      "examples",
      "vectors",
    ],
    packages: [
      "react",
      "react-dom",
      "zustand",
      "monaco-editor",
      "cmdk",
      "workbox-core",
      "workbox-precaching",
      "workbox-routing",
      "workbox-strategies",
    ],
  },
};

/** Folders of `src` with folders inside them, from the ground up: a file imports from its own folder and from those before it. */
const innerFolders: Record<string, readonly string[]> = {
  "src/core/masks": [
    "strategy-error.ts",
    "automaton",
    "regex",
    "grammar",
    "json-schema",
    "strategy.ts",
    "strategies",
    "vocabulary",
    "masks",
    "interop",
    "index.ts",
  ],
  "src/core/masks/json-schema": [
    "normal-form.ts",
    "effort.ts",
    "meet-clauses.ts",
    "scalars",
    "read",
    "array-states.ts",
    "emit",
    "normalize",
    "check-reachable-schemas.ts",
    "compile.ts",
    "validate.ts",
  ],
  "src/core/decoder": ["ports", "logits", "kv-cache", "activations", "loop", "replay"],
  "src/core/trace": ["format", "parse", "codec", "text", "model", "compare", "file", "index.ts"],
  "src/runtime/engine": [
    "base",
    "onnx",
    "decoder-cache",
    "download",
    "ort",
    "kernels",
    "storage",
    "files",
    "choose",
    "graph",
    "prompt",
    "wasm",
    "webgpu",
    "transformers",
    "load",
  ],
  "src/runtime/session": ["shared", "engine-side", "connection", "page-side"],
};

/** Tests and conformance suites may also use these. */
const testPackages = [
  "vitest",
  "ai",
  "ai5",
  "ai6",
  "@ai-sdk/openai-compatible",
  "openai-compatible5",
  "openai-compatible6",
  "@ai-sdk/react",
  "fast-check",
  "node:",
  "@huggingface/transformers",
  "@huggingface/transformers-structured-output",
  "@mlc-ai/web-xgrammar",
  "ajv",
  "ajv-formats",
  "ajv-draft-04",
  "fake-indexeddb",
  "react-dom",
  "openai",
  "zod",
  // A test reads mods as files.
  "midtoken/mod",
  "midtoken/flow",
  "midtoken/strategies",
];

function violations(path: string, text: string): string[] {
  const [group = "", folder = "", ...rest] = relative("src", path).split("/");
  if (folder === "") return [];
  const rule = table[folder];
  if (rest.length === 0 || !groups[group]?.includes(folder) || !rule)
    return [`${path}: the tables of groups and folders have no src/${group}/${folder}`];
  const isTest = isTestFile(relative("src", path));
  const found: string[] = [];
  // Mods that stand as text inside a file are not its imports.
  const code = text.replace(/`(?:\\.|[^`\\])*`/gs, "``");
  for (const [, named, dynamic] of code.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|(?<=import\()"([^"]+)"/g,
  )) {
    const specifier = named ?? dynamic ?? "";
    if (folder === "session" && specifier.endsWith("/models.json")) continue;
    if (specifier.startsWith(".")) {
      const target = folderOf(join(path, "..", specifier));
      if (
        target !== folder &&
        !rule.folders.some((allowed) => isBelow(join(path, "..", specifier), allowed)) &&
        !(isTest && (target in table || target === ""))
      ) {
        found.push(`${path} imports ${specifier}`);
      }
    } else if (specifier !== "") {
      const ok = [...rule.packages, ...(isTest ? testPackages : [])].some(
        (name) =>
          specifier === name ||
          specifier.startsWith(`${name}/`) ||
          (name.endsWith(":") && specifier.startsWith(name)),
      );
      if (!ok && !specifier.startsWith("virtual:") && !specifier.includes("?"))
        found.push(`${path} imports ${specifier}`);
    }
  }
  return found;
}

/** Whether a file of `src` is an allowed one, or stands in an allowed folder (`engine`, `engine/base`). */
function isBelow(path: string, allowed: string): boolean {
  const [first, , ...rest] = path.split("/");
  return first === "src" && `${rest.join("/")}/`.startsWith(`${allowed}/`);
}

/** `src/core/decoder/loop/decode.ts` → `decoder`; "" for a file outside `src`. */
function folderOf(path: string): string {
  const [first, , folder] = path.split("/");
  return first === "src" ? (folder ?? "") : "";
}

test("each folder of the table stands in one group, and groups import only from groups before them", () => {
  const order = Object.values(groups).flat();
  expect(order.toSorted()).toEqual(Object.keys(table).toSorted());
  const groupNumber = (folder: string) =>
    Object.values(groups).findIndex((folders) => folders.includes(folder.split("/")[0] ?? ""));
  const upwards = Object.entries(table).flatMap(([folder, { folders }]) =>
    folders
      .filter((target) => groupNumber(target) > groupNumber(folder))
      .map((target) => `${folder} imports ${target}`),
  );
  expect(upwards).toEqual([]);
});

test("imports go one way", () => {
  expect(sources("src").flatMap((path) => violations(path, readFileSync(path, "utf8")))).toEqual([]);
});

/** Imports from one folder inside `root` to another that stands above it. */
function upwardImports(root: string, path: string, text: string): string[] {
  const folders = innerFolders[root] ?? [];
  const partOf = (file: string) => relative(root, file).split("/")[0] ?? "";
  const floor = folders.indexOf(partOf(path));
  if (isTestFile(path)) return [];
  if (floor < 0) return [`${path} is in none of the folders ${folders.join(", ")}`];
  return importsOf(path, text)
    .filter((target) => target.startsWith(`${root}/`) && folders.indexOf(partOf(target)) > floor)
    .map((target) => `${path} imports ${target}`);
}

test.each(Object.keys(innerFolders))("imports inside %s go one way, from folder to folder", (root) => {
  const found = sources(root).flatMap((path) => upwardImports(root, path, readFileSync(path, "utf8")));
  expect(found).toEqual([]);
});

test("in the decode loop, only decode.ts asks mods: other files return the event to ask about", () => {
  const folder = "src/core/decoder/loop";
  const asking = sources(folder).filter(
    (path) => !isTestFile(path) && importsOf(path, readFileSync(path, "utf8")).includes(`${folder}/mods.ts`),
  );
  expect(asking).toEqual([`${folder}/decode.ts`]);
});

test("the trace's format depends on nothing but the table of sampling settings", () => {
  const imports = (file: string) => {
    const path = `src/core/trace/format/${file}`;
    const found = importsOf(path, readFileSync(path, "utf8"));
    return [...new Set(found)].map((target) => relative("src/core", target)).toSorted();
  };
  const parts = ["action", "layers", "request", "values"].map((part) => `trace/format/format-${part}.ts`);
  expect(imports("format.ts")).toEqual(parts);
  expect(imports("format-action.ts")).toEqual([
    "trace/format/format-request.ts",
    "trace/format/format-values.ts",
  ]);
  expect(imports("format-layers.ts")).toEqual([]);
  expect(imports("format-values.ts")).toEqual([]);
  expect(imports("format-request.ts")).toEqual(["base/sampling.ts"]);
});

test("a planted violation is found", () => {
  expect(
    violations("src/core/base/planted.ts", 'import { decode } from "../decoder/loop/decode.ts";\n'),
  ).toHaveLength(1);
  expect(violations("src/core/sdk/planted.ts", 'import { x } from "react";\n')).toHaveLength(1);
  const engine = (file: string) => `import { x } from "../../runtime/engine/${file}";\n`;
  expect(violations("src/package/api/planted.ts", engine("base/dtype.ts"))).toEqual([]);
  expect(violations("src/package/api/planted.ts", engine("load/create-model.ts"))).toHaveLength(1);
});

test("a planted import of a replay into the loop is found", () => {
  const text = 'import type { Replay } from "../replay/replay.ts";\n';
  expect(upwardImports("src/core/decoder", "src/core/decoder/loop/planted.ts", text)).toHaveLength(1);
  expect(upwardImports("src/core/decoder", "src/core/decoder/planted.ts", "")).toHaveLength(1);
});

test("files stay under 400 lines", () => {
  const long = sources("src")
    .map((path) => ({ path, lines: readFileSync(path, "utf8").split("\n").length }))
    .filter(({ path, lines }) => lines > 400 && !/\.test\.tsx?$/.test(path));
  expect(long).toEqual([]);
});
