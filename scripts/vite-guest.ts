/**
 * A Vite plugin with two virtual modules, in dev, build and vitest: `virtual:sandbox-guest` is the sandbox's guest program as one
 * text, and `virtual:sandbox-bootstrap` has the hash of the script with which its frame starts.
 */
import { createHash } from "node:crypto";
import { resolve } from "node:path";
import { build, type Plugin } from "vite";
import { bootstrapScript } from "../src/runtime/sandbox/bootstrap.ts";

const root = resolve(import.meta.dirname, "..");
const name = "virtual:sandbox-guest";
const resolved = `\0${name}`;
/** Separate from the guest program, which is fetched later. */
const bootstrapName = "virtual:sandbox-bootstrap";
const resolvedBootstrap = `\0${bootstrapName}`;

/** For the page's own content security policy, which frames made with `srcdoc` inherit: `script-src … 'sha256-…'`. */
export const sandboxBootstrapHash = `sha256-${createHash("sha256").update(bootstrapScript).digest("base64")}`;

interface GuestBuild {
  readonly program: string;
  readonly files: readonly string[];
}

/** One classic minified script without imports. */
async function buildGuest(): Promise<GuestBuild> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      target: "es2023",
      minify: true,
      rolldownOptions: {
        input: resolve(root, "src/runtime/sandbox/guest.ts"),
        output: { format: "iife" },
      },
    },
  });
  const outputs = [result].flat().flatMap((part) => ("output" in part ? part.output : []));
  const [chunk] = outputs;
  if (outputs.length !== 1 || chunk?.type !== "chunk") {
    throw new Error(
      `The guest must become one script, not ${outputs.map(({ fileName }) => fileName).join(", ")}.`,
    );
  }
  // The sources are modules and therefore strict. Without the directive, a mod could read the arguments of its callers.
  return {
    program: `"use strict";\n${chunk.code}\n//# sourceURL=guest.js\n`,
    files: chunk.moduleIds.filter((id) => !id.startsWith("\0")),
  };
}

export function sandboxGuest(): Plugin {
  let guest: Promise<GuestBuild> | null = null;
  return {
    name: "sandbox-guest",
    resolveId: (id) => {
      if (id === name) return resolved;
      return id === bootstrapName ? resolvedBootstrap : null;
    },
    async load(id) {
      if (id === resolvedBootstrap)
        return `export const bootstrapHash = ${JSON.stringify(sandboxBootstrapHash)};\n`;
      if (id !== resolved) return null;
      guest ??= buildGuest();
      const { program, files } = await guest;
      for (const file of files) this.addWatchFile(file);
      return `export const guestProgram = ${JSON.stringify(program)};\n`;
    },
    watchChange() {
      guest = null;
    },
    async hotUpdate({ file }) {
      if (guest === null || !(await guest).files.includes(file)) return;
      guest = null;
      const module = this.environment.moduleGraph.getModuleById(resolved);
      return module ? [module] : undefined;
    },
  };
}
