/**
 * A Vite plugin: the SDK's declarations for the editor (`virtual:sdk-types`), in dev, build and vitest. Contains the declarations
 * of the modules that mods import, and of everything that they mention, generated from the sources file by file, with comments.
 */
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import type { Plugin } from "vite";

const source = resolve(import.meta.dirname, "../src");
const name = "virtual:sdk-types";
const resolved = `\0${name}`;

/** Module name → file. */
const entries = {
  "midtoken/mod": "core/sdk/index.ts",
  "midtoken/strategies": "core/sdk/strategies.ts",
  "midtoken/flow": "core/sdk/flow.ts",
} as const;

interface Declarations {
  /** Path below `src`, ending in `.d.ts` → text. */
  readonly files: Readonly<Record<string, string>>;
  /** The source files of the declarations. */
  readonly sources: readonly string[];
}

/** @throws Error that names a declaration which needs an explicit type, because its type would have to be inferred from other files */
function makeDeclarations(): Declarations {
  const files: Record<string, string> = {};
  const waiting = Object.values(entries).map((path) => resolve(source, path));
  const seen = new Set<string>();
  for (const path of waiting) {
    if (seen.has(path)) continue;
    seen.add(path);
    const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, "utf8"), {
      stripInternal: true,
    });
    if (errors.length > 0) {
      const problems = errors.map(({ message, codeframe }) => `${message}\n${codeframe ?? ""}`).join("\n");
      throw new Error(`No declarations for ${relative(source, path)}: ${problems}`);
    }
    for (const [, specifier] of code.matchAll(/ from "(\.[^"]+)"/g)) {
      waiting.push(resolve(dirname(path), specifier as string));
    }
    // Without an ending, an import finds the declaration file.
    files[declarationOf(relative(source, path))] = code.replaceAll(/( from "\.[^"]+)\.ts"/g, '$1"');
  }
  return { files, sources: [...seen] };
}

function declarationOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/\.ts$/, ".d.ts");
}

export function sdkTypes(): Plugin {
  let made: Declarations | null = null;
  return {
    name: "sdk-types",
    resolveId: (id) => (id === name ? resolved : null),
    load(id) {
      if (id !== resolved) return null;
      made ??= makeDeclarations();
      for (const file of made.sources) this.addWatchFile(file);
      const paths = Object.fromEntries(
        Object.entries(entries).map(([module, path]) => [module, [`./${declarationOf(path)}`]]),
      );
      return `export const sdkTypes = ${JSON.stringify(made.files)};\nexport const sdkPaths = ${JSON.stringify(paths)};\n`;
    },
    watchChange() {
      made = null;
    },
    hotUpdate({ file }) {
      if (!made?.sources.includes(file)) return;
      made = null;
      const module = this.environment.moduleGraph.getModuleById(resolved);
      return module ? [module] : undefined;
    },
  };
}
