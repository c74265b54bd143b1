/** A Vite plugin: what a guest in QuickJS starts with, as texts, `virtual:quickjs-programs`, in dev, build and vitest alike. */
import { resolve } from "node:path";
import { build, type Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
const name = "virtual:quickjs-programs";
const resolved = `\0${name}`;
const folder = resolve(root, "src/node/quickjs");

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
    // The loader's build for browsers takes its WebAssembly from its caller, and looks for no file.
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

export function quickJsPrograms(): Plugin {
  let programs: Promise<readonly [Program, Program]> | null = null;
  return {
    name: "quickjs-programs",
    resolveId: (id) => (id === name ? resolved : null),
    async load(id) {
      if (id !== resolved) return null;
      programs ??= Promise.all([bundle("realm/realm-program.ts", "iife"), bundle("guest-thread.ts", "es")]);
      const [realm, thread] = await programs;
      for (const file of [...realm.files, ...thread.files]) this.addWatchFile(file);
      return `export const realmProgram = ${JSON.stringify(`"use strict";\n${realm.text}`)};
export const threadProgram = ${JSON.stringify(thread.text)};
`;
    },
    watchChange() {
      programs = null;
    },
  };
}
