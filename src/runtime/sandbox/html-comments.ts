/**
 * `<!--`, and `-->` at the start of a line, begin comments in a classic script, which a compiled mod is, but not in a
 * module, which the compiler reads: the browser would leave out what the compiler has read. They are refused.
 */
import type { CompileProblem } from "./compiled-mod.ts";
import { opening } from "./module-wrapper.ts";
import { createPositionMap } from "./source-positions.ts";
import { positionAt, readTokens } from "./source-tokens.ts";

const advice = {
  "<!--": `"<!--" would turn the rest of its line into a comment: write // for a comment, "< !--" for the operators.`,
  "-->": `"-->" at the start of a line would turn the line into a comment: write // for a comment, "-- >" for the operators.`,
};

const lineEnd = /[\n\r\u2028\u2029]/;

/** Searches the compiled code, because removed types may have stood between the characters. */
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
    const place = positions.toSource({ line, column: column + (line === 1 ? opening.length : 0) });
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

/** A clearer message for a syntax error at an offset that such a comment causes. */
export function htmlCommentAdvice(source: string, offset: number): string | null {
  const line = source.slice(source.lastIndexOf("\n", offset - 1) + 1, offset + 4);
  const code = line
    .slice(line.lastIndexOf("*/") + 1)
    .replace(/^\//, "")
    .trimStart();
  if (code.startsWith("<!--")) return advice["<!--"];
  return code.startsWith("-->") ? advice["-->"] : null;
}
