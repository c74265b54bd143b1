/** The installed packages that WebGPU's tests and benches need, without files that only people and compilers read. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

/** Packages of other tasks: lint, types, the npm package. Clients of the API stay: Vite looks for all that the sources import. */
const leftOut = new Set([
  "@arethetypeswrong",
  "@biomejs",
  "@braidai",
  "@mlc-ai",
  "@rollup",
  "@types",
  "@typescript",
  "@webassemblyjs",
  "@wllama",
  "ai5",
  "ai6",
  "axe-core",
  "caniuse-lite",
  "lru-cache",
  "openai-compatible5",
  "openai-compatible6",
  "publint",
  "rollup",
  "terser",
  "terser-webpack-plugin",
  "typescript",
  "webpack",
  "webpack-sources",
]);

/** Parts of packages that nothing reads there. */
const leftOutParts = [
  "@huggingface/transformers/src",
  "@huggingface/transformers/types",
  "esbuild/bin/esbuild",
  "monaco-editor/dev",
  "monaco-editor/esm/nls",
  "monaco-editor/esm/vs/nls/lang",
  "monaco-editor/min",
  "openai/src",
  "playwright-core/lib/vite",
  "playwright/lib/vite",
];

/** Builds of the runtime and of @huggingface/transformers that browsers fetch, and those that the bench imports. */
const ortFiles =
  /^ort(\.(webgpu|jspi|wasm|all|node))?(\.bundle)?\.min\.(m?js)$|^ort-wasm-simd-threaded(\.(asyncify|jspi))?\.(mjs|wasm)$/;
const transformersFiles = /^transformers\.(web|node)\.(m?js)$/;

const forReaders = /\.(map|d\.ts|d\.mts|d\.cts|md|markdown|woff2?)$/i;

/** Whether a file or folder of `node_modules` travels; `path` is below that folder, with `/` between its parts. */
export function travels(path: string): boolean {
  const [first = "", second = ""] = path.split("/");
  // Vite's and npm's own folders; `.bin` has the programs that the steps start.
  if (first.startsWith(".") && first !== ".bin" && path !== ".package-lock.json") return false;
  if (leftOut.has(first) || first.startsWith("lightningcss-")) return false;
  if (leftOutParts.some((part) => path === part || path.startsWith(`${part}/`))) return false;
  if (path.startsWith("onnxruntime-web/dist/")) return ortFiles.test(basename(path));
  if (path.startsWith("onnxruntime-web/") && second !== "package.json" && second !== "dist") return false;
  if (path.startsWith("@huggingface/transformers/dist/")) return transformersFiles.test(basename(path));
  return !forReaders.test(path);
}

/** The bench's page imports wllama, and no step on a card opens it: a module in its place says so. */
function writeWllama(to: string): void {
  const folder = join(to, "@wllama/wllama");
  mkdirSync(join(folder, "esm/wasm"), { recursive: true });
  const exports = { ".": "./index.js", "./esm/wasm/wllama.wasm": "./esm/wasm/wllama.wasm" };
  const description = { name: "@wllama/wllama", version: "0.0.0", type: "module", exports };
  writeFileSync(join(folder, "package.json"), JSON.stringify(description));
  const message = "wllama was not packed for this machine.";
  writeFileSync(
    join(folder, "index.js"),
    `export class Wllama { constructor() { throw new Error(${JSON.stringify(message)}); } }\n`,
  );
  writeFileSync(join(folder, "esm/wasm/wllama.wasm"), "");
}

export function copyPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (!travels(name)) continue;
    cpSync(join(from, name), join(to, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => path === from || travels(relative(from, path)),
    });
  }
  // Programs of packages that stay behind.
  rmSync(join(to, ".bin/biome"), { force: true });
  writeWllama(to);
}
