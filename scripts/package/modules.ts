/** Plugins for the bundler that makes the package's scripts from the sources. */
import { dirname, join, resolve } from "node:path";
import { type Plugin, type RolldownOptions, rolldown } from "rolldown";
import { sandboxGuest } from "../vite-guest.ts";
import { withoutOnnxRuntime } from "../without-runtime.ts";
import { root } from "./subpaths.ts";

const inSource = (path: string): string => join(root, "src", path);

/** Modules that use Vite's addresses, and the modules that replace them in the package. */
const replaced: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "runtime/engine/ort/load-runtime.ts": "package/assets/load-runtime.ts",
    "package/node/runtime-files.ts": "package/assets/node-runtime-files.ts",
    "runtime/session/connection/engine-worker-transport.ts": "package/assets/open-engine-worker.ts",
    "runtime/sandbox/start-compile-worker.ts": "package/assets/start-compile-worker.ts",
  }).map(([from, to]) => [inSource(from), inSource(to)]),
);

/** Names in the sources for files of the package that another step writes. */
const besides: Readonly<Record<string, string>> = {
  "midtoken:plain-runtime": "./ort-wasm-simd-threaded.js",
  "midtoken:transformers": "./transformers.js",
  "midtoken:engine-worker-source": "./portable-engine-worker.js",
  "midtoken:compile-worker-source": "./portable-compile-worker.js",
  "midtoken:runtime-source": "./portable-runtime.js",
};

/** Imports of the React part that stay imports: the element is built separately, and `midtoken` depends on the bundler. */
const selfReferences: ReadonlyMap<string, string> = new Map([
  [inSource("package/api/index.ts"), "midtoken"],
  [inSource("package/element/index.ts"), "midtoken/timeline"],
]);
const reactFolder = inSource("package/react/");

const packageModules: Plugin = {
  name: "midtoken-package-modules",
  resolveId(source, importer) {
    const file = besides[source];
    if (file !== undefined) return { id: file, external: true };
    if (!importer || !source.startsWith(".")) return null;
    const path = resolve(dirname(importer), source);
    const id = importer.startsWith(reactFolder) ? selfReferences.get(path) : undefined;
    return id === undefined ? (replaced.get(path) ?? null) : { id, external: true };
  },
};

/** prom-client uses Node's `util` to format errors, and requires it without `node:`. */
const nodeUtil: Plugin = {
  name: "midtoken-node-util",
  resolveId: (source, importer) =>
    source === "util" && importer?.includes("/node_modules/prom-client/") ? "\0node-util" : null,
  load: (id) => (id === "\0node-util" ? 'export { format, inspect } from "node:util";' : null),
};

/** Style sheets as texts: `import sheet from "./file.css?inline"`, as in Vite. */
const inlineStyles: Plugin = {
  name: "midtoken-inline-styles",
  resolveId(source, importer) {
    if (!importer || !source.endsWith(".css?inline")) return null;
    return resolve(dirname(importer), source);
  },
  async load(id) {
    if (!id.endsWith(".css?inline")) return null;
    const css = await this.fs.readFile(id.slice(0, -"?inline".length), { encoding: "utf8" });
    return { code: `export default ${JSON.stringify(css)};`, moduleType: "js" };
  },
};

/** Options for every build of the package. */
export const sharedBuildOptions = {
  cwd: root,
  platform: "browser",
  plugins: [
    packageModules,
    inlineStyles,
    nodeUtil,
    withoutOnnxRuntime(),
    sandboxGuest() as unknown as Plugin,
  ],
  resolve: {
    alias: {
      "midtoken/mod": inSource("core/sdk/index.ts"),
      "midtoken/strategies": inSource("core/sdk/strategies.ts"),
      "midtoken/flow": inSource("core/sdk/flow.ts"),
    },
  },
  // The scripts are not modules, so `import.meta` is empty in them, on purpose. The warning about slow plugins does not concern
  // the package.
  checks: { emptyImportMeta: false, bundlerTimings: false },
  onLog(level, log, handler) {
    if (level === "warn") throw new Error(`The package does not build without a warning: ${log.message}`);
    handler(level, log);
  },
} as const satisfies RolldownOptions;

/** Runs a build in memory. */
export async function bundleInMemory(
  options: RolldownOptions,
): Promise<Awaited<ReturnType<Awaited<ReturnType<typeof rolldown>>["generate"]>>["output"]> {
  const { output, ...input } = options;
  const build = await rolldown(input);
  try {
    return (await build.generate(Array.isArray(output) ? output[0] : output)).output;
  } finally {
    await build.close();
  }
}
