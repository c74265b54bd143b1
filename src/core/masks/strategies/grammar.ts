import { checkWork } from "../automaton/check-work.ts";
import { compileGrammar } from "../grammar/build.ts";
import { parseGrammar } from "../grammar/parse.ts";
import { createStrategy, type Strategy, wholeText } from "../strategy.ts";
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
 * large, or so ambiguous that its first bytes take too much work
 */
export function grammar(gbnf: string): Strategy {
  const text = checkText("grammar", "", gbnf);
  const build = compileGrammar(parseGrammar(text), text);
  checkWork(build, firstLetters(text));
  return createStrategy({ kind: "grammar", build, answerOf: wholeText });
}

/** Characters that mostly begin a literal or a class of the grammar, at most three: texts of them lead deep into the grammar. */
function firstLetters(gbnf: string): readonly number[] {
  const found = Array.from(gbnf.matchAll(/["[][!-~]/g), ([begun]) => begun.charCodeAt(1));
  return [...new Set(found)].slice(0, 3);
}
