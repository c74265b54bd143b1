/**
 * A plugin for Vite and Rolldown: the programs of Node's threads as texts, in dev, build and vitest. `virtual:node-programs` has
 * the program for mods, `virtual:node-engine` the program for the engine.
 */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";
import { withoutOnnxRuntime } from "./without-runtime.ts";

const root = resolve(import.meta.dirname, "..");
const folder = resolve(root, "src/package/node");

interface Program {
  readonly text: string;
  readonly files: readonly string[];
}

/** One script or module that imports only Node's own modules. */
async function bundle(entry: string, format: "iife" | "es", plugins: Plugin[] = []): Promise<Program> {
  const result = await build({
    root,
    configFile: false,
    plugins,
    logLevel: "warn",
    // QuickJS's loader for browsers gets its WebAssembly from the caller and opens no file.
    resolve: { conditions: ["browser", "import", "default"] },
    build: {
      write: false,
      target: "es2023",
      minify: true,
      rolldownOptions: {
        input: resolve(folder, entry),
        external: [/^node:/],
        output: { format, codeSplitting: false },
      },
    },
  });
  const outputs = [result].flat().flatMap((part) => ("output" in part ? part.output : []));
  // The loader names its WebAssembly file, so the bundler writes this file too; it is not needed, because the pool passes the
  // WebAssembly.
  const chunks = outputs.filter((output) => output.type === "chunk");
  const [chunk] = chunks;
  if (chunks.length !== 1 || !chunk) throw new Error(`${entry} must become one file, not ${chunks.length}.`);
  return { text: chunk.code, files: chunk.moduleIds.filter((id) => !id.startsWith("\0")) };
}

interface Built {
  readonly code: string;
  readonly files: readonly string[];
}

async function buildPrograms(): Promise<Built> {
  const [realm, guest, compile] = await Promise.all([
    bundle("quickjs/realm/realm-program.ts", "iife"),
    bundle("quickjs/guest-thread.ts", "es"),
    bundle("compile-thread.ts", "es"),
  ]);
  const wasm = createRequire(import.meta.url).resolve("@jitl/quickjs-ng-wasmfile-release-sync/wasm");
  const texts = {
    realmProgram: `"use strict";\n${realm.text}`,
    guestThread: guest.text,
    compileThread: compile.text,
    quickJsWasm: gzipSync(await readFile(wasm), { level: 9 }).toString("base64"),
  };
  return { code: exportsOf(texts), files: [realm, guest, compile].flatMap(({ files }) => files) };
}

async function buildEngine(): Promise<Built> {
  const engine = await bundle("engine-thread.ts", "es", [
    threadRuntime,
    withoutOnnxRuntime() as unknown as Plugin,
  ]);
  return { code: exportsOf({ engineThread: engine.text }), files: engine.files };
}

function exportsOf(texts: Readonly<Record<string, string>>): string {
  return Object.entries(texts)
    .map(([each, text]) => `export const ${each} = ${JSON.stringify(text)};\n`)
    .join("");
}

/** Passes the path of ONNX Runtime to the thread, whose program is a string and has no path. */
const threadRuntime: Plugin = {
  name: "node-thread-runtime",
  enforce: "pre",
  resolveId(source, importer) {
    if (!importer || !source.startsWith(".")) return null;
    const path = resolve(dirname(importer), source);
    return path === resolve(root, "src/runtime/engine/ort/load-runtime.ts")
      ? resolve(folder, "thread-runtime.ts")
      : null;
  },
};

const makers: Readonly<Record<string, () => Promise<Built>>> = {
  "virtual:node-programs": buildPrograms,
  "virtual:node-engine": buildEngine,
};

export function nodePrograms(): Plugin {
  const built = new Map<string, Promise<Built>>();
  return {
    name: "node-programs",
    resolveId: (id) => (Object.hasOwn(makers, id) ? `\0${id}` : null),
    async load(id) {
      const name = id.slice(1);
      const make = id.startsWith("\0") && Object.hasOwn(makers, name) ? makers[name] : undefined;
      if (!make) return null;
      const building = built.get(name) ?? make();
      built.set(name, building);
      const { code, files } = await building;
      for (const file of files) this.addWatchFile(file);
      return code;
    },
    watchChange() {
      built.clear();
    },
  };
}
