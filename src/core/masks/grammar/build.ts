/** Turns a parsed grammar into an expression. */
import type { Expression, Expressions } from "../automaton/expression.ts";
import { utf8Alphabet } from "../regex/utf8.ts";
import { StrategyError } from "../strategy-error.ts";
import { checkFrontDepth, findLeftRecursiveRules, propertiesOf, pruneRules } from "./analyze.ts";
import { LeftRecursion, type RewrittenNode } from "./left-recursion.ts";
import { lineAndColumn } from "./reader.ts";
import type { Grammar } from "./syntax.ts";

export const ROOT = "root";

/** Makes the language of a rule, by default of "root"; `nothing` for a rule that has no text. */
export type BuildRule = (expressions: Expressions, rule?: string) => Expression;

/**
 * Compiles a grammar to a function that makes the languages of its rules.
 * @throws StrategyError if there is no rule "root", or if that rule has no text.
 * @throws ConstraintLimitError
 */
export function compileGrammar(grammar: Grammar, text: string): BuildRule {
  const root = grammar.get(ROOT);
  if (root === undefined) {
    const names = [...grammar.keys()].slice(0, 8).join(", ");
    const found = names === "" ? "the grammar has no rules" : `the rules are ${names}`;
    throw new StrategyError(
      "grammar",
      "",
      `there is no rule "root" (${found}): write root ::= … for the whole text.`,
    );
  }
  const properties = propertiesOf(grammar);
  const bodies = pruneRules(grammar, properties);
  if (!bodies.has(ROOT)) {
    const where = lineAndColumn(text, root.at);
    throw new StrategyError(
      "grammar",
      where,
      'the rule "root" matches no text, because its recursion never ends: give it, or a rule that it uses, an alternative without recursion.',
    );
  }
  const cycles = findLeftRecursiveRules(properties, bodies);
  checkFrontDepth(properties, bodies, cycles);
  const rules = new LeftRecursion(properties, bodies, cycles);
  return (expressions, rule = ROOT) =>
    bodies.has(rule) ? new Builder(expressions, rules).rule(rule) : expressions.nothing;
}

/**
 * The number of languages built so far. It is part of each rule's key, so that rules of two grammars in one arena are not
 * confused.
 */
let built = 0;

class Builder {
  readonly #expressions: Expressions;
  readonly #rules: LeftRecursion;
  readonly #key = `grammar:${built++}`;

  constructor(expressions: Expressions, rules: LeftRecursion) {
    this.#expressions = expressions;
    this.#rules = rules;
  }

  rule(name: string): Expression {
    return this.#rule(name, () => this.#rules.whole(name));
  }

  #rule(name: string, body: () => RewrittenNode): Expression {
    return this.#expressions.rule(`${this.#key}:${name}`, () => this.#build(body()));
  }

  #build(node: RewrittenNode): Expression {
    const expressions = this.#expressions;
    switch (node.kind) {
      case "text":
        return expressions.literal(node.text);
      case "characters":
        return utf8Alphabet(expressions, node.set);
      case "reference":
        return this.rule(node.rule);
      case "filled":
        return this.#rule(`${node.rule}+`, () => this.#rules.filled(node.rule));
      case "rest":
        return this.#rule(`${node.of}>${node.to}`, () => this.#rules.rest(node.of, node.to));
      case "sequence":
        return expressions.sequence(...node.parts.map((part) => this.#build(part)));
      case "alternatives":
        return expressions.union(...node.parts.map((part) => this.#build(part)));
      case "repeat":
        return expressions.repeat(this.#build(node.body), node.min, node.max);
    }
  }
}
