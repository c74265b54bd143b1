/**
 * Refuses `<!--`, and `-->` at the start of a line. In a classic script, such as a compiled mod, they begin comments. In a
 * module, as the compiler reads the source, they do not: the browser would skip code that the compiler has read.
 */
import type { CompileProblem } from "./compiled-mod.ts";
import { moduleOpening } from "./module-wrapper.ts";
import { createPositionMap } from "./source-positions.ts";
import { positionAt, readTokens } from "./source-tokens.ts";

const advice = {
  "<!--": `"<!--" would turn the rest of its line into a comment: write // for a comment, "< !--" for the operators.`,
  "-->": `"-->" at the start of a line would turn the line into a comment: write // for a comment, "-- >" for the operators.`,
};

const lineEnd = /[\n\r\u2028\u2029]/;

/** Searches the compiled code, because the source may have types between the characters. */
export function findHtmlComments(code: string, mappings: string): readonly CompileProblem[] {
  if (!/<!--|-->/.test(code)) return [];
  const tokens = readTokens(code);
  const positions = createPositionMap({ mappings, label: "" });
  let end = 0;
  return tokens.flatMap(({ start, text }): readonly CompileProblem[] => {
    const isFirst = lineEnd.test(code.slice(end, start));
    end = start + text.length;
    const comment = commentAt(code, start, { text, isFirst });
    if (comment === null) return [];
    const { line, column } = positionAt(code, start);
    const place = positions.toSource({ line, column: column + (line === 1 ? moduleOpening.length : 0) });
    return [{ message: advice[comment], ...(place ?? { line, column: null }) }];
  });
}

/** `isFirst`: whether the token is the first of its line. */
function commentAt(
  code: string,
  start: number,
  { text, isFirst }: { readonly text: string; readonly isFirst: boolean },
): keyof typeof advice | null {
  if (text === "<" && code.startsWith("<!--", start)) return "<!--";
  return text === "--" && isFirst && code.startsWith("-->", start) ? "-->" : null;
}

/** A clearer message for a syntax error at `offset` that such a comment causes. */
export function htmlCommentAdvice(source: string, offset: number): string | null {
  const line = source.slice(source.lastIndexOf("\n", offset - 1) + 1, offset + 4);
  const code = line
    .slice(line.lastIndexOf("*/") + 1)
    .replace(/^\//, "")
    .trimStart();
  if (code.startsWith("<!--")) return advice["<!--"];
  return code.startsWith("-->") ? advice["-->"] : null;
}
