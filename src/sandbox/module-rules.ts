/** What a mod's file may not do, found before it runs. The browser's wall stops all of it too: this is for the author. */
import { findMissingNames } from "./imported-names.ts";
import { importRefusal, modModules, moduleList } from "./module-names.ts";
import { positionAt, type SourceToken } from "./source-tokens.ts";

/** Something wrong at a place in the editor's text; 1-based. */
export interface CompileProblem {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

export function findProblems(source: string, tokens: readonly SourceToken[]): readonly CompileProblem[] {
  const forbidden = tokens.flatMap((token, index) => {
    const message =
      importProblem(tokens, index) ?? reExportProblem(tokens, index) ?? awaitProblem(tokens, index);
    return message === null ? [] : [{ message, start: token.start }];
  });
  return [...forbidden, ...findMissingNames(tokens)]
    .sort((a, b) => a.start - b.start)
    .map(({ message, start }) => ({ message, ...positionAt(source, start) }));
}

function importProblem(tokens: readonly SourceToken[], index: number): string | null {
  if (!isWord(tokens, index, "import") || isMember(tokens, index)) return null;
  const next = tokens[index + 1]?.text;
  if (next === "(") {
    return `import() is not available: a mod is one file, and imports from ${moduleList} only, at the top.`;
  }
  if (next === ".") return "import.meta is not available: a mod has no address and no files beside it.";
  if (next === "=" || tokens[index + 2]?.text === "=") {
    return `"import … =" is not available: write import { mod } from "${modModules[0]}".`;
  }
  const module = tokens.slice(index + 1).find((token) => token.kind === "string" || token.text === ";");
  return module?.kind === "string" ? moduleProblem(module.text) : null;
}

/** `export … from "x"`: elsewhere no string can follow the word `from`. */
function reExportProblem(tokens: readonly SourceToken[], index: number): string | null {
  const module = tokens[index + 1];
  if (!isWord(tokens, index, "from") || module?.kind !== "string") return null;
  const statement = tokens.slice(0, index).findLast(({ text }) => text === "import" || text === "export");
  return statement?.text === "export" ? moduleProblem(module.text) : null;
}

function moduleProblem(quoted: string): string | null {
  const name = quoted.slice(1, -1);
  return (modModules as readonly string[]).includes(name) ? null : importRefusal(name);
}

function awaitProblem(tokens: readonly SourceToken[], index: number): string | null {
  const token = tokens[index];
  if (!token?.isAwait || !token.isTopLevel || isMember(tokens, index) || isName(tokens, index)) return null;
  return "await is not available at the top of the file: use it inside an async handler.";
}

function isWord(tokens: readonly SourceToken[], index: number, text: string): boolean {
  return tokens[index]?.kind === "word" && tokens[index]?.text === text;
}

function isMember(tokens: readonly SourceToken[], index: number): boolean {
  const before = tokens[index - 1]?.text;
  return before === "." || before === "?." || before === "#";
}

/** True where a keyword-like word names a property: `{ await: 1 }`, `{ await() {} }`. */
function isName(tokens: readonly SourceToken[], index: number): boolean {
  const next = tokens[index + 1]?.text;
  if (next === ":" || next === "=") return true;
  if (next !== "(" || tokens[index - 1]?.text === "for") return false;
  let depth = 0;
  for (let place = index + 1; place < tokens.length; place++) {
    const { kind, text } = tokens[place] as SourceToken;
    if (kind === "sign" && text === "(") depth++;
    if (kind === "sign" && text === ")" && --depth === 0) return tokens[place + 1]?.text === "{";
  }
  return false;
}

/** True when a name stands in the code: as an identifier, a property, or a quoted property. */
export function mentions(tokens: readonly SourceToken[], name: string): boolean {
  return tokens.some(({ kind, text }) => (kind === "string" ? text.slice(1, -1) : text) === name);
}
