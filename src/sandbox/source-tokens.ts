/** A mod's source as tokens: what a check may look at without being fooled by strings, comments, regular expressions or types. */
import { parse } from "sucrase/dist/esm/parser/index.js";
import { ContextualKeyword } from "sucrase/dist/esm/parser/tokenizer/keywords.js";
import { TokenType } from "sucrase/dist/esm/parser/tokenizer/types.js";
import type { SourcePosition } from "./protocol.ts";

export interface SourceToken {
  /** As written; a string with its quotes. */
  readonly text: string;
  /** `word` is a name or keyword, `string` a quoted string, `sign` everything else. */
  readonly kind: "word" | "string" | "sign";
  /** Offset in the source, in UTF-16 units. */
  readonly start: number;
  /** True outside every function. */
  readonly isTopLevel: boolean;
  readonly isAwait: boolean;
}

/** The tokens that are there at run time. @throws SyntaxError-like with `loc` where the source does not parse. */
export function readTokens(source: string): readonly SourceToken[] {
  const { tokens, scopes } = parse(source, false, true, false);
  const functions = scopes.filter(
    ({ isFunctionScope, startTokenIndex, endTokenIndex }) =>
      isFunctionScope && !(startTokenIndex === 0 && endTokenIndex >= tokens.length - 1),
  );
  return tokens.flatMap((token, index): SourceToken[] => {
    if (token.isType || token.type === TokenType.eof) return [];
    const text = source.slice(token.start, token.end);
    return [
      {
        text,
        kind: kindOf(token.type),
        start: token.start,
        isTopLevel: !functions.some(
          ({ startTokenIndex, endTokenIndex }) => startTokenIndex <= index && index < endTokenIndex,
        ),
        isAwait: token.contextualKeyword === ContextualKeyword._await && token.type === TokenType.name,
      },
    ];
  });
}

function kindOf(type: TokenType): SourceToken["kind"] {
  if (type === TokenType.string) return "string";
  return type === TokenType.name || (type & TokenType.IS_KEYWORD) !== 0 ? "word" : "sign";
}

/** The 1-based line and column of an offset. */
export function positionAt(source: string, offset: number): SourcePosition {
  const before = source.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
