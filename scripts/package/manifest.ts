/** The package.json of the npm package. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { declarationPath } from "./declarations.ts";
import { originOfClone, publicAddresses } from "./public-addresses.ts";
import { commandLineEntry, root, standaloneScripts, subpaths } from "./subpaths.ts";

type Conditions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Conditions>>;
  readonly [field: string]: unknown;
}

/** The export condition for apps that serve the assets themselves (`assetsUrl`): it selects the entry without assets. */
export const ownAssetsCondition = "midtoken-assets";

/** @param remote git remote of this clone: if it is at a public host, the package names its repository, page and issues */
export function packageManifest(remote: string = originOfClone()): Manifest {
  const ours = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as Record<string, unknown>;
  return {
    name: "midtoken",
    version: String(ours.version),
    description:
      "Change what a language model says while it says it: models in the browser with token-level mods, timelines and OpenAI's API.",
    license: String(ours.license),
    ...publicAddresses(remote),
    keywords: ["llm", "webgpu", "onnx", "constrained decoding", "structured output", "openai", "tokens"],
    type: "module",
    engines: ours.engines,
    files: ["dist", "docs", "THIRD-PARTY-LICENSES.txt"],
    sideEffects: sideEffects(),
    exports: packageExports(),
    bin: { midtoken: `./dist/${commandLineEntry.name}.js` },
    // `midtoken/ai-sdk` needs version 4. Older versions are allowed, so that npm installs Midtoken beside AI SDK 5 and
    // 6; createMidtoken then finds the older version and says what to install.
    peerDependencies: {
      react: ">=18",
      "@ai-sdk/provider": ">=2",
      keyv: "^5.6.0",
      "@keyv/redis": "^5.1.6",
      "@keyv/postgres": "^2.2.3",
      pg: "^8.23.1",
    },
    peerDependenciesMeta: {
      react: { optional: true },
      "@ai-sdk/provider": { optional: true },
      keyv: { optional: true },
      "@keyv/redis": { optional: true },
      "@keyv/postgres": { optional: true },
      pg: { optional: true },
    },
  };
}

function packageExports(): Readonly<Record<string, string | Conditions>> {
  const entries = subpaths.map(({ path, name, source }) => [
    path,
    {
      types: `./dist/${declarationPath(source)}`,
      // Rollup, esbuild and other bundlers do not copy assets, so the default entry contains them. webpack copies assets, and
      // apps that serve the assets themselves need no second copy.
      ...(path === "." && { [ownAssetsCondition]: "./dist/index.js", webpack: "./dist/index.js" }),
      default: `./dist/${path === "." ? "index-portable" : name}.js`,
    },
  ]);
  const files = [
    ...standaloneScripts.map(({ name, path = `./${name}.js` }) => [path, `./dist/${name}.js`]),
    ["./sandbox.html", "./dist/sandbox.html"],
  ];
  return Object.fromEntries([...entries, ...files, ["./package.json", "./package.json"]]);
}

/** Scripts that a bundler must keep even if nothing of them is used. */
function sideEffects(): readonly string[] {
  // The parts of the element add their style sheets, and its first script defines the element.
  const entries = subpaths
    .filter(({ sideEffects }) => sideEffects)
    .map(({ name, isElement }) => `./dist/${name}${isElement ? "*" : ""}.js`);
  return [
    "./dist/index-portable.js",
    ...entries,
    ...[commandLineEntry, ...standaloneScripts].map(({ name }) => `./dist/${name}.js`),
  ];
}
