/** Builds the scripts of the npm package: its entries with the chunks that they share, and the scripts that stand alone. */
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Plugin } from "rolldown";
import { sandboxFrameHtml } from "../../src/runtime/sandbox/bootstrap.ts";
import { buildElement } from "../build-element.ts";
import { packRuntime } from "../packed-runtimes.ts";
import { sandboxBootstrapHash } from "../vite-guest.ts";
import { nodePrograms } from "../vite-node-programs.ts";
import { bundleInMemory, sharedBuildOptions } from "./modules.ts";
import {
  commandLineEntry,
  root,
  runtimeBinaries,
  runtimeFiles,
  type Subpath,
  standaloneScripts,
  subpaths,
} from "./subpaths.ts";

/** Packages that the package's users install themselves. */
const peers = /^(react|react-dom|@ai-sdk\/provider|keyv|@keyv\/redis|@keyv\/postgres|pg)($|\/)/;

/** The form of `midtoken` for bundlers that do not copy assets. */
const portableEntry = "index-portable";

function portableSource(index = ""): string {
  const register = resolve(root, "src/package/assets/register-portable.ts");
  return `import ${JSON.stringify(register)};\nexport * from ${JSON.stringify(index)};\n`;
}

type Entry = Pick<Subpath, "name" | "source">;

const allEntries: readonly Entry[] = [commandLineEntry, ...subpaths.filter(({ isElement }) => !isElement)];

/**
 * Builds all entries except the element, and the command line, in one build: entries then share their modules, so that errors,
 * mods and strategies of one entry are recognized by the others.
 */
export async function bundleEntries(folder: string, entries: readonly Entry[] = allEntries): Promise<void> {
  const input = Object.fromEntries(entries.map(({ name, source }) => [name, resolve(root, source)]));
  const portable: Plugin = {
    name: "midtoken-portable-entry",
    resolveId: (source) => (source === portableEntry ? `\0${portableEntry}` : null),
    load: (id) => (id === `\0${portableEntry}` ? portableSource(input.index) : null),
  };
  await write(
    folder,
    await bundleInMemory({
      ...sharedBuildOptions,
      plugins: [portable, ...sharedBuildOptions.plugins, nodePrograms() as unknown as Plugin],
      input: { ...input, ...(input.index !== undefined && { [portableEntry]: portableEntry }) },
      external: [peers, /^node:/],
      output: {
        format: "es",
        // Frameworks that render on a server need this line: hooks run in the browser.
        banner: ({ name }) => (name === "react" ? '"use client";' : ""),
        entryFileNames: "[name].js",
        chunkFileNames: ({ name }) => `${name.replace(/^_virtual_/, "")}.js`,
        comments: { annotation: true, jsdoc: false, legal: true },
        // `asset-addresses.ts` contains this file name.
        codeSplitting: { groups: [{ name: "assets", test: /src\/package\/assets\/asset-addresses\.ts$/ }] },
      },
    }),
  );
}

/** Built separately, because the element has Preact instead of React, and includes its style sheets. */
async function bundleElementFiles(folder: string): Promise<void> {
  const element = subpaths.find(({ isElement }) => isElement);
  if (!element) return;
  await write(
    folder,
    await buildElement({
      entryFileName: `${element.name}.js`,
      chunkFileNames: `${element.name}-[name].js`,
    }),
  );
}

/** Each script is one module without imports. */
async function bundleScripts(folder: string): Promise<void> {
  for (const { name, source, format = "es" } of standaloneScripts) {
    const parts = await bundleInMemory({
      ...sharedBuildOptions,
      input: { [name]: resolve(root, source) },
      output: { format, entryFileNames: "[name].js", codeSplitting: false, minify: true },
    });
    if (parts.length !== 1) {
      throw new Error(
        `${source} must become one file, not ${parts.map(({ fileName }) => fileName).join(", ")}.`,
      );
    }
    await write(folder, parts);
  }
}

/**
 * Writes ONNX Runtime's scripts (the plain script changed for bundlers), its compressed binaries, the frame's page, and the
 * modules that replace assets for bundlers that do not copy them.
 */
async function copyAssets(folder: string): Promise<void> {
  const runtime = resolve(root, "node_modules/onnxruntime-web/dist");
  for (const [name, from] of Object.entries(runtimeFiles)) {
    await copyFile(resolve(runtime, from), resolve(folder, name));
  }
  for (const name of runtimeBinaries) await copyFile(packRuntime(name), resolve(folder, `${name}.gz`));
  const plain = resolve(folder, "ort-wasm-simd-threaded.js");
  await writeFile(plain, readableByBundlers(await readFile(plain, "utf8")));
  await writeFile(resolve(folder, "sandbox.html"), sandboxFrameHtml(sandboxBootstrapHash));
  const exportOf = (name: string, text: string): string =>
    `export const ${name} = ${JSON.stringify(text)};\n`;
  const textOf = (name: string): Promise<string> => readFile(resolve(folder, name), "utf8");
  for (const worker of ["engine-worker", "compile-worker"]) {
    await writeFile(
      resolve(folder, `portable-${worker}.js`),
      exportOf("source", await textOf(`${worker}.js`)),
    );
  }
  const wasm = await readFile(resolve(folder, "ort-wasm-simd-threaded.wasm.gz"));
  await writeFile(
    resolve(folder, "portable-runtime.js"),
    exportOf("script", await textOf("ort-wasm-simd-threaded.js")) + exportOf("wasm", wasm.toString("base64")),
  );
}

/**
 * Changes ONNX Runtime's script so that bundlers can read it. The script ends with a top-level await that asks whether Node
 * started it as a thread; minified by webpack, a script cannot contain such an await, and Midtoken starts no such threads in
 * Node. The script also names the WebAssembly binary that it would fetch, which bundlers would look for; Midtoken always passes
 * the binary to the script.
 */
function readableByBundlers(script: string): string {
  const asks = 'if(isNode)isPthread=(await import("worker_threads")).workerData==="em-pthread";';
  const own = '(new URL("ort-wasm-simd-threaded.wasm",import.meta.url)).href';
  return without(without(script, asks, ""), own, '""');
}

function without(script: string, text: string, inItsPlace: string): string {
  const parts = script.split(text);
  if (parts.length !== 2) throw new Error(`ONNX Runtime's script no longer has ${text} once: look for it.`);
  return parts.join(inItsPlace);
}

/** Names of the packages whose code is part of the scripts. */
const bundled = new Set<string>([
  "onnxruntime-web",
  // These are inside the texts from which Node's threads start.
  "quickjs-emscripten-core",
  "@jitl/quickjs-ng-wasmfile-release-sync",
]);

async function write(
  folder: string,
  parts: readonly Awaited<ReturnType<typeof bundleInMemory>>[number][],
): Promise<void> {
  for (const part of parts) {
    for (const id of part.type === "chunk" ? part.moduleIds : []) {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(id) ?? [];
      if (name !== undefined) bundled.add(name);
    }
    const path = resolve(folder, part.fileName);
    if (existsSync(path)) throw new Error(`Two parts of the package are called ${part.fileName}.`);
    await writeFile(path, part.type === "chunk" ? part.code : part.source);
  }
}

/** Writes all scripts, and returns the packages whose code they contain. @param folder is empty or does not exist */
export async function bundlePackage(folder: string): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  await bundleEntries(folder);
  await bundleElementFiles(folder);
  await bundleScripts(folder);
  await copyAssets(folder);
  return [...bundled].sort();
}
