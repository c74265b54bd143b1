/**
 * Refuses, when the strategy is made, a grammar whose texts take too much work. The error names the place of the rule that
 * causes the work.
 */
import { MOST_CHECKED, tooMuchChecked, workOf } from "../automaton/check-work.ts";
import type { ConstraintLimitError } from "../strategy-error.ts";
import { recursiveRules } from "./analyze.ts";
import { type BuildRule, ROOT } from "./build.ts";
import { position } from "./reader.ts";
import type { Grammar } from "./syntax.ts";

/** A rule counts as the cause if its own texts take this much work. */
const MUCH = MOST_CHECKED / 20;

/**
 * Walks texts of the whole grammar, and of one rule of each set of rules that name one another, because a text may reach
 * such a rule late.
 * @throws ConstraintLimitError
 */
export function checkGrammar(grammar: Grammar, build: BuildRule, text: string): void {
  const letters = firstLetters(text);
  const cycles = recursiveRules(grammar).map((rules) =>
    [...grammar.keys()].findLast((name) => rules.has(name)),
  );
  let spent = 0;
  for (const name of new Set([ROOT, ...cycles])) {
    spent += workOf((expressions) => build(expressions, name), letters);
    if (spent > MOST_CHECKED) throw tooMuch(grammar, build, text, letters);
  }
}

/** Checks the rules from the last to the first, because a rule usually stands before the rules that it uses. */
function tooMuch(
  grammar: Grammar,
  build: BuildRule,
  text: string,
  letters: readonly number[],
): ConstraintLimitError {
  let named = ROOT;
  let spent = 0;
  for (const name of [...grammar.keys()].reverse()) {
    const work = workOf((expressions) => build(expressions, name), letters, MUCH);
    spent += work;
    if (work > MUCH) named = name;
    if (work > MUCH || spent > MOST_CHECKED) break;
  }
  return tooMuchChecked(`${position(text, grammar.get(named)?.at ?? 0)}, rule "${named}"`);
}

/**
 * At most three characters with which literals or classes of the grammar begin: texts of these characters lead deep into the
 * grammar.
 */
function firstLetters(gbnf: string): readonly number[] {
  const found = Array.from(gbnf.matchAll(/["[][!-~]/g), ([begun]) => begun.charCodeAt(1));
  return [...new Set(found)].slice(0, 3);
}
