/** The entries of the npm package: the source of each entry, and its size limit. One table for building, checking and measuring. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";

export const root: string = resolve(import.meta.dirname, "../..");

/** Where the package is built. */
export const packageFolder: string = resolve(root, "dist/package");

export interface Subpath {
  /** The key in `exports` of package.json. */
  readonly path: string;
  /** Name of the entry, without its ending: `dist/NAME.js`. */
  readonly name: string;
  /** Path from the repository's root. */
  readonly source: string;
  /** Limit for the compressed scripts that the import itself loads, in kilobytes (1,000 bytes); null for no limit. */
  readonly limit: number | null;
  /** Limit in kilobytes while the entry misses `limit`, so that the entry grows no further. The bench still reports a miss. */
  readonly missedAt?: number;
  /** Built separately, with Preact instead of React. */
  readonly isElement?: true;
  /** Built separately, only for Node. */
  readonly isNode?: true;
  /** The entry needs a browser, or does something as soon as it is imported. */
  readonly sideEffects?: true;
}

const planned: readonly Subpath[] = [
  { path: ".", name: "index", source: "src/package/api/index.ts", limit: 25 },
  { path: "./session", name: "session", source: "src/package/api/session-entry.ts", limit: null },
  { path: "./mod", name: "mod", source: "src/core/sdk/index.ts", limit: 8 },
  { path: "./strategies", name: "strategies", source: "src/core/sdk/strategies.ts", limit: null },
  { path: "./flow", name: "flow", source: "src/core/sdk/flow.ts", limit: null },
  // 64.1 before conditions about single properties stayed open in the state of an object, and 66.6 before lists of unique objects.
  { path: "./masks", name: "masks", source: "src/core/masks/index.ts", limit: 60, missedAt: 67.9 },
  // 6.2 since the model of a trace distinguishes a mod’s questions from its edits; 6.3 before TextStream refused unknown options.
  { path: "./trace", name: "trace", source: "src/core/trace/index.ts", limit: 6, missedAt: 6.5 },
  {
    path: "./timeline",
    name: "timeline",
    source: "src/package/element/index.ts",
    limit: 30,
    isElement: true,
    sideEffects: true,
  },
  { path: "./react", name: "react", source: "src/package/react/index.ts", limit: null },
  { path: "./ai-sdk", name: "ai-sdk", source: "src/package/ai-sdk/index.ts", limit: null },
  { path: "./openai", name: "openai", source: "src/package/http/index.ts", limit: null },
  { path: "./testing", name: "testing", source: "src/package/testing/index.ts", limit: null },
  { path: "./node", name: "node", source: "src/package/node/index.ts", limit: null, isNode: true },
];

/** The entries whose sources exist. */
export const subpaths: readonly Subpath[] = planned.filter(({ source }) => existsSync(resolve(root, source)));

/** The command line, `npx midtoken`. */
export const commandLineEntry = { name: "cli", source: "src/package/node/cli.ts" } as const;

interface Script {
  readonly name: string;
  readonly source: string;
  readonly path?: string;
  /** A module unless given. "iife" for scripts that other scripts import into their own scope, where names must not collide. */
  readonly format?: "iife";
}

/** Scripts without imports: each is one file that is fetched by its address. */
export const standaloneScripts: readonly Script[] = (
  [
    { name: "engine-worker", source: "src/package/assets/engine-worker.ts" },
    { name: "compile-worker", source: "src/package/assets/compile-worker.ts" },
    { name: "transformers", source: "src/runtime/engine/ort/transformers-package.ts" },
    {
      name: "service-worker",
      source: "src/package/http/service-worker.ts",
      path: "./service-worker",
      format: "iife",
    },
  ] satisfies Script[]
).filter(({ source }) => existsSync(resolve(root, source)));

/** ONNX Runtime's scripts: name in the package, and path within onnxruntime-web's `dist`. */
export const runtimeFiles: Readonly<Record<string, string>> = {
  "ort-wasm-simd-threaded.js": "ort-wasm-simd-threaded.mjs",
  "ort-jspi.js": "ort.jspi.bundle.min.mjs",
  "ort-asyncify.js": "ort.webgpu.bundle.min.mjs",
};

/** ONNX Runtime's binaries, compressed as `NAME.gz` in the package. */
export const runtimeBinaries: readonly string[] = [
  "ort-wasm-simd-threaded.wasm",
  "ort-wasm-simd-threaded.jspi.wasm",
  "ort-wasm-simd-threaded.asyncify.wasm",
];
