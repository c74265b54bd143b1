/** The names under which a mod's file may export mods, so that the user can choose which one runs. */
import type { SourceToken } from "./source-tokens.ts";

/**
 * "default" first, then the other names in the file's order. Functions, classes and types are left out, because they cannot
 * be mods. Whether a value is a mod shows only when it runs.
 */
export function findModExportCandidates(tokens: readonly SourceToken[]): readonly string[] {
  const names = new Set(tokens.flatMap((token, index) => (isExport(token) ? namesAfter(tokens, index) : [])));
  return names.delete("default") ? ["default", ...names] : [...names];
}

/**
 * Whether a token begins an `export` statement. It must be at the top level, because elsewhere the word is a member's name.
 */
function isExport({ kind, text, isTopLevel }: SourceToken): boolean {
  return kind === "word" && text === "export" && isTopLevel;
}

function namesAfter(tokens: readonly SourceToken[], index: number): readonly string[] {
  const next = tokens[index + 1]?.text ?? "";
  if (next === "default") return ["default"];
  if (["const", "let", "var"].includes(next)) return declaredNames(tokens, index + 2);
  return next === "{" ? listedNames(tokens, index + 2) : [];
}

/** The names declared in `a = …, b = …;`: each name after the beginning or after a comma outside all brackets. */
function declaredNames(tokens: readonly SourceToken[], begin: number): readonly string[] {
  const names: string[] = [];
  let depth = 0;
  for (let at = begin; at < tokens.length; at++) {
    const { text, kind } = tokens[at] as SourceToken;
    const isFirst = at === begin || (depth === 0 && tokens[at - 1]?.text === ",");
    // A new statement may also begin without a semicolon before it.
    if (kind !== "word" ? isFirst : depth === 0 && statements.includes(text)) break;
    if (isFirst) names.push(text);
    if (["(", "[", "{", "${"].includes(text)) depth += 1;
    if ([")", "]", "}"].includes(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && text === ";")) break;
  }
  return names;
}

const statements: readonly string[] = ["const", "let", "var", "export", "import"];

/** The names exported in `a, b as c }`: the last name before each comma. */
function listedNames(tokens: readonly SourceToken[], begin: number): readonly string[] {
  const names: string[] = [];
  for (let at = begin; at < tokens.length && tokens[at]?.text !== "}"; at++) {
    const { text, kind } = tokens[at] as SourceToken;
    const after = tokens[at + 1]?.text;
    if (kind === "word" && (after === "," || after === "}")) names.push(text);
  }
  return names;
}
