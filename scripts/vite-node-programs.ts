/** A plugin for Vite and Rolldown: what the threads of Node's part start with, as texts, `virtual:node-programs`, in dev, build and vitest alike. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
const name = "virtual:node-programs";
const resolved = `\0${name}`;
const folder = resolve(root, "src/node");

interface Program {
  readonly text: string;
  readonly files: readonly string[];
}

/** One script or module without imports but of Node's own. */
async function bundle(entry: string, format: "iife" | "es"): Promise<Program> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "warn",
    // QuickJS's loader for browsers takes its WebAssembly from its caller, and looks for no file.
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
  // The loader names its WebAssembly, which makes a file of it too: the pool brings its own.
  const chunks = outputs.filter((output) => output.type === "chunk");
  const [chunk] = chunks;
  if (chunks.length !== 1 || !chunk) throw new Error(`${entry} must become one file, not ${chunks.length}.`);
  return { text: chunk.code, files: chunk.moduleIds.filter((id) => !id.startsWith("\0")) };
}

async function buildPrograms(): Promise<{ readonly code: string; readonly files: readonly string[] }> {
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
  return {
    code: Object.entries(texts)
      .map(([each, text]) => `export const ${each} = ${JSON.stringify(text)};\n`)
      .join(""),
    files: [realm, guest, compile].flatMap(({ files }) => files),
  };
}

export function nodePrograms(): Plugin {
  let programs: ReturnType<typeof buildPrograms> | null = null;
  return {
    name: "node-programs",
    resolveId: (id) => (id === name ? resolved : null),
    async load(id) {
      if (id !== resolved) return null;
      programs ??= buildPrograms();
      const { code, files } = await programs;
      for (const file of files) this.addWatchFile(file);
      return code;
    },
    watchChange() {
      programs = null;
    },
  };
}
