/**
 * Finds forbidden code in a mod's file before it runs. The sandbox would stop all of it too; these rules exist to tell the
 * author. The work per token is bounded, whatever the source.
 */
import type { CompileProblem } from "./compiled-mod.ts";
import { findMissingNames } from "./imported-names.ts";
import { importableModules, importRefusal, moduleNamesText } from "./module-names.ts";
import { positionAt, type SourceProblem, type SourceToken } from "./source-tokens.ts";

/** The most problems that are reported for a source; the others are reported after these are fixed. */
export const mostProblems = 20;

export function findModuleProblems(
  source: string,
  tokens: readonly SourceToken[],
): readonly CompileProblem[] {
  return [...findForbidden(tokens), ...findMissingNames(tokens)]
    .sort((a, b) => a.start - b.start)
    .slice(0, mostProblems)
    .map(({ start, message }) => ({ message: message(), ...positionAt(source, start) }));
}

function findForbidden(tokens: readonly SourceToken[]): readonly SourceProblem[] {
  const closing = closingParentheses(tokens);
  /** The last `import` or `export` before a token. */
  let statement = "";
  /** Index of the token with the module's name in an `import` statement, if it has one. */
  let specifier = 0;
  return tokens.flatMap((token, index): readonly SourceProblem[] => {
    const { kind, text, start } = token;
    const name = index + 1 < tokens.length ? (tokens[index + 1] as SourceToken) : null;
    let message: string | null = null;
    if (kind === "word" && text === "import" && !isMember(tokens, index)) {
      specifier = Math.max(specifier, index + 1);
      while (specifier < tokens.length && !endsImport(tokens[specifier] as SourceToken)) specifier += 1;
      message = importProblem(tokens, index, tokens[specifier]);
    } else if (kind === "word" && text === "from" && name?.kind === "string" && statement === "export") {
      // `export … from "x"`: elsewhere no string can follow the word `from`.
      message = moduleProblem(name.text);
    } else if (token.isAwait && token.isTopLevel && !isMember(tokens, index)) {
      message = isName(tokens, index, closing) ? null : topLevelAwait;
    }
    if (text === "import" || text === "export") statement = text;
    return message === null ? [] : [{ start, message: () => message }];
  });
}

const topLevelAwait = "await is not available at the top of the file: use it inside an async handler.";

function endsImport({ kind, text }: SourceToken): boolean {
  return kind === "string" || text === ";";
}

/** @param specifier index of the first string or semicolon after the word `import` */
function importProblem(
  tokens: readonly SourceToken[],
  index: number,
  specifier: SourceToken | undefined,
): string | null {
  const next = tokens[index + 1]?.text;
  if (next === "(") {
    return `import() is not available: a mod is a single file, and can import only from ${moduleNamesText}, at the top of the file.`;
  }
  if (next === ".") return "import.meta is not available: a mod is a single file and has no URL.";
  if (next === "=" || tokens[index + 2]?.text === "=") {
    return `"import … =" is not available: write import { mod } from "${importableModules[0]}".`;
  }
  return specifier?.kind === "string" ? moduleProblem(specifier.text) : null;
}

function moduleProblem(quoted: string): string | null {
  const name = quoted.slice(1, -1);
  return (importableModules as readonly string[]).includes(name) ? null : importRefusal(name);
}

function isMember(tokens: readonly SourceToken[], index: number): boolean {
  const before = tokens[index - 1]?.text;
  return before === "." || before === "?." || before === "#";
}

/** Whether a keyword-like word is the name of a property: `{ await: 1 }`, `{ await() {} }`. */
function isName(
  tokens: readonly SourceToken[],
  index: number,
  closing: ReadonlyMap<number, number>,
): boolean {
  const next = tokens[index + 1]?.text;
  if (next === ":" || next === "=") return true;
  if (next !== "(" || tokens[index - 1]?.text === "for") return false;
  const end = closing.get(index + 1);
  return end !== undefined && tokens[end + 1]?.text === "{";
}

/** For the index of each `(`, the index of its `)`. */
function closingParentheses(tokens: readonly SourceToken[]): ReadonlyMap<number, number> {
  const closing = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind, text }] of tokens.entries()) {
    if (kind !== "sign") continue;
    if (text === "(") open.push(index);
    const opened = text === ")" ? open.pop() : undefined;
    if (opened !== undefined) closing.set(opened, index);
  }
  return closing;
}

/** The names that stand in the code: as identifiers, properties, or quoted properties. */
export function namesIn(tokens: readonly SourceToken[]): ReadonlySet<string> {
  return new Set(tokens.map(({ kind, text }) => (kind === "string" ? text.slice(1, -1) : text)));
}
