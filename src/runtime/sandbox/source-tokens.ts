/** Splits a mod's source into tokens, so that checks are not misled by strings, comments, regular expressions or types. */
import { parse } from "sucrase/dist/esm/parser/index.js";
import { isDeclaration } from "sucrase/dist/esm/parser/tokenizer/index.js";
import { ContextualKeyword } from "sucrase/dist/esm/parser/tokenizer/keywords.js";
import { TokenType } from "sucrase/dist/esm/parser/tokenizer/types.js";
import { state } from "sucrase/dist/esm/parser/traverser/base.js";
import type { SourcePosition } from "./protocol.ts";

export interface SourceToken {
  /** The token's text in the source; a string includes its quotes. */
  readonly text: string;
  /** `word` is a name or keyword, `string` a quoted string, `sign` everything else. */
  readonly kind: "word" | "string" | "sign";
  /** Offset in the source, in UTF-16 units. */
  readonly start: number;
  /** True outside every function. */
  readonly isTopLevel: boolean;
  readonly isAwait: boolean;
  /** Whether the token is a name that is declared here, for example a parameter. */
  readonly isDeclaration: boolean;
}

/** Something wrong at an offset of the source. */
export interface SourceProblem {
  readonly start: number;
  /** Computes the message; called only for problems that are reported. */
  message(): string;
}

/** The tokens without types. @throws an error like SyntaxError, with `loc`, if the source does not parse. */
export function readTokens(source: string): readonly SourceToken[] {
  return runTimeTokens(source, parse(source, false, true, false));
}

/**
 * The tokens of the source that the compiler transformed last, so that it is parsed only once; null if it did not parse to
 * its end. The parser keeps its state in a module variable.
 */
export function tokensOfLastParse(source: string): readonly SourceToken[] | null {
  const isWhole = state.error === null && state.tokens.at(-1)?.type === TokenType.eof;
  return isWhole ? runTimeTokens(source, state) : null;
}

function runTimeTokens(source: string, { tokens, scopes }: Parsed): readonly SourceToken[] {
  const depths = functionDepths(tokens.length, scopes);
  return tokens.flatMap((token, index): SourceToken[] => {
    if (token.isType || token.type === TokenType.eof) return [];
    return [
      {
        text: source.slice(token.start, token.end),
        kind: kindOf(token.type),
        start: token.start,
        isTopLevel: depths[index] === 0,
        isAwait: token.contextualKeyword === ContextualKeyword._await && token.type === TokenType.name,
        isDeclaration: isDeclaration(token),
      },
    ];
  });
}

type Parsed = Pick<ReturnType<typeof parse>, "tokens" | "scopes">;

interface ParsedScope {
  readonly isFunctionScope: boolean;
  readonly startTokenIndex: number;
  readonly endTokenIndex: number;
}

/**
 * For each token, the number of functions around it. Beginnings and ends of functions are counted first, so that the work is
 * tokens plus functions, not tokens times functions.
 */
export function functionDepths(tokenCount: number, scopes: readonly ParsedScope[]): Int32Array {
  const depths = new Int32Array(tokenCount + 1);
  for (const { isFunctionScope, startTokenIndex, endTokenIndex } of scopes) {
    const isFile = startTokenIndex === 0 && endTokenIndex >= tokenCount - 1;
    if (!isFunctionScope || isFile) continue;
    depths[startTokenIndex] = (depths[startTokenIndex] ?? 0) + 1;
    depths[endTokenIndex] = (depths[endTokenIndex] ?? 0) - 1;
  }
  for (let index = 1; index < depths.length; index++) {
    depths[index] = (depths[index] ?? 0) + (depths[index - 1] ?? 0);
  }
  return depths;
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
