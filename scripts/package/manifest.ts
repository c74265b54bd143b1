/** The package.json of the npm package. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { declarationPath } from "./declarations.ts";
import { command, root, scripts, subpaths } from "./subpaths.ts";

type Conditions = Readonly<Record<string, string>>;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | Conditions>>;
  readonly [field: string]: unknown;
}

/** The condition by which someone who serves the files himself (`assetsUrl`) chooses the entry that does not carry them. */
export const ownAssets = "midtoken-assets";

export function packageManifest(): Manifest {
  const ours = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8")) as Record<string, unknown>;
  return {
    name: "midtoken",
    version: String(ours.version),
    description:
      "Change what a language model says while it says it: models in the browser with token-level mods, timelines and OpenAI's API.",
    license: String(ours.license),
    keywords: ["llm", "webgpu", "onnx", "constrained decoding", "structured output", "openai", "tokens"],
    type: "module",
    engines: ours.engines,
    files: ["dist", "THIRD-PARTY-LICENSES.txt"],
    sideEffects: sideEffects(),
    exports: packageExports(),
    bin: { midtoken: `./dist/${command.name}.js` },
    // `midtoken/ai-sdk` needs version 4. With older ones allowed, npm leaves those of AI SDK 5 and 6 where `midtoken/ai-sdk` finds
    // them, and createMidtoken says what to install.
    peerDependencies: { react: ">=18", "@ai-sdk/provider": ">=2", keyv: "^5.6.0", "@keyv/redis": "^5.1.6" },
    peerDependenciesMeta: {
      react: { optional: true },
      "@ai-sdk/provider": { optional: true },
      keyv: { optional: true },
      "@keyv/redis": { optional: true },
    },
  };
}

function packageExports(): Readonly<Record<string, string | Conditions>> {
  const entries = subpaths.map(({ path, name, source }) => [
    path,
    {
      types: `./dist/${declarationPath(source)}`,
      // Rollup, esbuild and others take no files along; webpack and who serves the files need no copies of them.
      ...(path === "." && { [ownAssets]: "./dist/index.js", webpack: "./dist/index.js" }),
      default: `./dist/${path === "." ? "index-portable" : name}.js`,
    },
  ]);
  const files = [
    ...scripts.map(({ name, path = `./${name}.js` }) => [path, `./dist/${name}.js`]),
    ["./sandbox.html", "./dist/sandbox.html"],
  ];
  return Object.fromEntries([...entries, ...files, ["./package.json", "./package.json"]]);
}

/** What a bundler must keep although nothing of it is used. */
function sideEffects(): readonly string[] {
  // The parts of the element bring their style sheets, and the first one defines it.
  const entries = subpaths
    .filter(({ sideEffects }) => sideEffects)
    .map(({ name, isElement }) => `./dist/${name}${isElement ? "*" : ""}.js`);
  return [
    "./dist/index-portable.js",
    ...entries,
    ...[command, ...scripts].map(({ name }) => `./dist/${name}.js`),
  ];
}
