/**
 * Refuses, when the strategy is made, a grammar whose texts take too much work. The error names the place of the rule that
 * causes the work.
 */
import { checkWorkOnSampleTexts } from "../automaton/check-work.ts";
import { recursiveRules } from "./analyze.ts";
import { type BuildRule, ROOT } from "./build.ts";
import { lineAndColumn } from "./reader.ts";
import type { Grammar } from "./syntax.ts";

/**
 * Walks texts of one rule of each set of rules that name one another, because a text may reach such a rule late, and texts of
 * the whole grammar.
 * @throws ConstraintLimitError
 */
export function checkGrammar(grammar: Grammar, build: BuildRule, text: string): void {
  const letters = firstLetters(text);
  const names = [...grammar.keys()];
  const cycles = recursiveRules(grammar).map((rules) => names.findLast((name) => rules.has(name)) ?? ROOT);
  for (const name of new Set([...cycles, ROOT])) {
    const where = `${lineAndColumn(text, grammar.get(name)?.at ?? 0)}, rule "${name}"`;
    checkWorkOnSampleTexts((expressions) => build(expressions, name), letters, where);
  }
}

/** Characters that mostly begin a literal or a class of the grammar, at most three: texts of them lead deep into the grammar. */
function firstLetters(gbnf: string): readonly number[] {
  const found = Array.from(gbnf.matchAll(/["[][!-~]/g), ([begun]) => begun.charCodeAt(1));
  return [...new Set(found)].slice(0, 3);
}
