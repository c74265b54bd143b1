/**
 * A Vite plugin: what the editor and the mods' compiler know of the SDK, in dev, build and vitest alike.
 * `virtual:sdk-types`: the declarations of the modules that mods import, and of all that these mention, made from the
 * sources, file by file and with their comments. `virtual:sdk-exports`: the names alone, which are few.
 */
import { readFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { isolatedDeclarationSync } from "rolldown/experimental";
import type { Plugin } from "vite";

const source = resolve(import.meta.dirname, "../src");
const typesName = "virtual:sdk-types";
const exportsName = "virtual:sdk-exports";
const resolved = `\0${typesName}`;
const resolvedExports = `\0${exportsName}`;

/** Module name to file. */
const entries = {
  "midtoken/mod": "sdk/index.ts",
  "midtoken/strategies": "sdk/strategies.ts",
  "midtoken/flow": "sdk/flow.ts",
} as const;

interface Declarations {
  /** Path below `src`, ending in `.d.ts`, to text. */
  readonly files: Readonly<Record<string, string>>;
  /** What they were made from. */
  readonly sources: readonly string[];
}

/** @throws Error naming what has no declaration without type inference over files: it needs an explicit type. */
export function makeDeclarations(): Declarations {
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
    // Without an ending a name means the declaration, which is all that there is.
    files[declarationOf(relative(source, path))] = code.replaceAll(/( from "\.[^"]+)\.ts"/g, '$1"');
  }
  return { files, sources: [...seen] };
}

function declarationOf(path: string): string {
  return path.replaceAll("\\", "/").replace(/\.ts$/, ".d.ts");
}

/** Names that a module of the SDK exports: of its values, and of its types. */
interface ExportedNames {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** Each module's exports. Its file lists them by hand, in lines `export { … } from` and `export type { … } from`. */
export function readExports(): Readonly<Record<string, ExportedNames>> {
  return Object.fromEntries(
    Object.entries(entries).map(([module, path]) => {
      const text = readFileSync(resolve(source, path), "utf8");
      const names = (lines: RegExp) =>
        [...text.matchAll(lines)].flatMap(([, list = ""]) =>
          list.split(",").flatMap((name) => name.trim() || []),
        );
      return [
        module,
        { values: names(/^export \{([^}]*)\} from/gm), types: names(/^export type \{([^}]*)\} from/gm) },
      ];
    }),
  );
}

export function sdkTypes(): Plugin {
  let made: Declarations | null = null;
  return {
    name: "sdk-types",
    resolveId(id) {
      if (id === typesName) return resolved;
      return id === exportsName ? resolvedExports : null;
    },
    load(id) {
      if (id === resolvedExports) {
        for (const path of Object.values(entries)) this.addWatchFile(resolve(source, path));
        return `export const sdkExports = ${JSON.stringify(readExports())};\n`;
      }
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
