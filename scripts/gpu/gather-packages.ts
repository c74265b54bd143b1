/** Collects the installed npm packages that the WebGPU tests and benches need, without files for people and compilers. */
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

/** Packages for lint, types and the npm package. Clients of the API stay, because Vite resolves everything that the sources import. */
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

/** Parts of packages that are never read on the GPU machine. */
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

/** Builds of the runtime and of @huggingface/transformers that browsers fetch or the bench imports. */
const ortFiles =
  /^ort(\.(webgpu|jspi|wasm|all|node))?(\.bundle)?\.min\.(m?js)$|^ort-wasm-simd-threaded(\.(asyncify|jspi))?\.(mjs|wasm)$/;
const transformersFiles = /^transformers\.(web|node)\.(m?js)$/;

const forReaders = /\.(map|d\.ts|d\.mts|d\.cts|md|markdown|woff2?)$/i;

/** Whether a file or folder of `node_modules` is packed; `path` is relative to that folder, with `/` as separator. */
export function isPackedForGpu(path: string): boolean {
  const [first = "", second = ""] = path.split("/");
  // Leaves out folders of Vite and npm; `.bin` stays because the steps start its programs.
  if (first.startsWith(".") && first !== ".bin" && path !== ".package-lock.json") return false;
  if (leftOut.has(first) || first.startsWith("lightningcss-")) return false;
  if (leftOutParts.some((part) => path === part || path.startsWith(`${part}/`))) return false;
  if (path.startsWith("onnxruntime-web/dist/")) return ortFiles.test(basename(path));
  if (path.startsWith("onnxruntime-web/") && second !== "package.json" && second !== "dist") return false;
  if (path.startsWith("@huggingface/transformers/dist/")) return transformersFiles.test(basename(path));
  return !forReaders.test(path);
}

/** The bench's page imports wllama, but no step on a GPU machine opens it: this replacement throws an error that says so. */
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
    if (!isPackedForGpu(name)) continue;
    cpSync(join(from, name), join(to, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => path === from || isPackedForGpu(relative(from, path)),
    });
  }
  // Programs of packages that are left out.
  rmSync(join(to, ".bin/biome"), { force: true });
  writeWllama(to);
}
