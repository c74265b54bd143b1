import { compileGrammar } from "../grammar/build.ts";
import { checkGrammar } from "../grammar/check-grammar.ts";
import { parseGrammar } from "../grammar/parse.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../strategy.ts";
import { checkText } from "./arguments.ts";

/**
 * A context-free grammar in GBNF, the notation of llama.cpp; the rule `root` is the whole text. Any recursion is fine, at the
 * left, too. The answer is the whole text.
 *
 * @example
 * const sum = grammar(`
 *   root   ::= sum
 *   sum    ::= sum "+" number | number
 *   number ::= [0-9]+
 * `);
 *
 * @throws StrategyError with line and column, and what was expected there. @throws ConstraintLimitError for a grammar that is too
 * large, or (with the rule) so ambiguous that its first bytes take too much work
 */
export function grammar(gbnf: string): Strategy {
  const text = checkText("grammar", "", gbnf);
  const parsed = parseGrammar(text);
  const build = compileGrammar(parsed, text);
  checkGrammar(parsed, build, text);
  return createStrategy({
    kind: "grammar",
    build: (expressions) => build(expressions),
    answerOf: wholeTextAsAnswer,
  });
}
