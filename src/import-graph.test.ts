/** Imports between files: no cycles, and no long chains. `layers.test.ts` holds the imports between folders. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { importsOf, isTestFile, sources } from "../scripts/testing/imports.ts";

/** Files that import one another, directly or around several corners: each file is looked at once (a walk in depth). */
function cyclesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const cycles: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, chain: readonly string[]) => {
    if (chain.includes(path)) cycles.push([...chain.slice(chain.indexOf(path)), path].join(" → "));
    else if (!finished.has(path)) {
      for (const imported of imports.get(path) ?? []) visit(imported, [...chain, path]);
      finished.add(path);
    }
  };
  for (const path of imports.keys()) visit(path, []);
  return cycles;
}

test("no file imports itself around corners, nor do types", () => {
  const paths = ["src", "scripts", "e2e"].flatMap(sources);
  expect(cyclesOf(new Map(paths.map((path) => [path, importsOf(path, readFileSync(path, "utf8"))])))).toEqual(
    [],
  );
});

/**
 * The most files that import one another in a chain, by folder. `values` leaves out imports of types, which a reader of a function
 * rarely follows. A number may only fall.
 */
const longestChains: Readonly<Record<string, { readonly values: number; readonly withTypes: number }>> = {
  "src/core/decoder": { values: 9, withTypes: 9 },
  "src/core/trace": { values: 8, withTypes: 8 },
  "src/runtime/session": { values: 6, withTypes: 7 },
  "src/runtime/engine": { values: 9, withTypes: 9 },
};

/** The text of a file without its imports and exports of types alone. */
function withoutTypeImports(text: string): string {
  return text
    .replace(/^(import|export) type [^;]*?\sfrom\s+"[^"]+";/gm, "")
    .replace(/^(import|export) \{(\s*type \w+( as \w+)?,?)+\s*\} from "[^"]+";/gm, "");
}

/** The longest chain of imports that begins at each file, given without cycles. */
function longestChain(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const chainFrom = (path: string): readonly string[] => {
    const found = known.get(path);
    if (found) return found;
    const chains = (imports.get(path) ?? []).filter((target) => imports.has(target)).map(chainFrom);
    const chain = [path, ...chains.reduce((a, b) => (b.length > a.length ? b : a), [])];
    known.set(path, chain);
    return chain;
  };
  return [...imports.keys()].map(chainFrom).reduce((a, b) => (b.length > a.length ? b : a), []);
}

test.each(
  Object.entries(longestChains).flatMap(([root, { values, withTypes }]) => [
    { root, kind: "values", most: values, read: withoutTypeImports },
    { root, kind: "values and types", most: withTypes, read: (text: string) => text },
  ]),
)("a chain of imports of $kind inside $root has at most $most files", ({ root, most, read }) => {
  const paths = sources(root).filter((path) => !isTestFile(path));
  const chain = longestChain(
    new Map(paths.map((path) => [path, importsOf(path, read(readFileSync(path, "utf8")))])),
  );
  expect(chain.length, chain.join(" → ")).toBeLessThanOrEqual(most);
});

test("a planted chain is found, with and without its imports of types", () => {
  const files = {
    "src/a.ts": 'import type { E } from "./e.ts";\nimport { b } from "./b.ts";\n',
    "src/b.ts": 'export { c, type C } from "./c.ts";\n',
    "src/c.ts": 'import {\n  type D,\n  type OtherD,\n} from "./d.ts";\n',
    "src/d.ts": 'export type { E } from "./e.ts";\n',
    "src/e.ts": "export type E = string;\n",
  };
  const chainOf = (read: (text: string) => string) =>
    longestChain(new Map(Object.entries(files).map(([path, text]) => [path, importsOf(path, read(text))])));
  expect(chainOf((text) => text)).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts"]);
  expect(chainOf(withoutTypeImports)).toEqual(["src/a.ts", "src/b.ts", "src/c.ts"]);
});

test("a planted cycle of types is found", () => {
  const files = {
    "src/a.ts": 'import type { B } from "./b.ts";\n',
    "src/b.ts": 'export type { C } from "./deep/c.ts";\n',
    "src/deep/c.ts": 'export type C = import("../a.ts").A;\nimport "../d.ts";\n',
    "src/d.ts": "const text = `import './a.ts'`;\n",
  };
  const imports = new Map(Object.entries(files).map(([path, text]) => [path, importsOf(path, text)]));
  expect(cyclesOf(imports)).toEqual(["src/a.ts → src/b.ts → src/deep/c.ts → src/a.ts"]);
});
