/**
 * Parses GBNF, the grammar notation of llama.cpp (grammars/README.md there): rules `name ::= …` with literals, classes, `.`,
 * groups, alternatives, `* + ? {m} {m,} {m,n}` and comments. A rule may continue over several lines, until the next `name
 * ::=`.
 */
import { ConstraintLimitError } from "../strategy-error.ts";
import { lineAndColumn, Reader } from "./reader.ts";
import {
  alternativesOf,
  charactersOf,
  type GbnfNode,
  type Grammar,
  partsOf,
  type Rule,
  sequenceOf,
} from "./syntax.ts";

const MOST_NESTED = 200;
const MOST_RULES = 2000;

/** The rules by name. @throws StrategyError with line and column. @throws ConstraintLimitError */
export function parseGrammar(text: string): Grammar {
  const reader = new Reader(text);
  const rules = new Map<string, Rule>();
  reader.skip();
  while (!reader.isAtEnd) {
    const rule = parseRule(reader);
    const earlier = rules.get(rule.name);
    if (earlier !== undefined) {
      reader.fail(
        `the rule "${rule.name}" is defined twice, first at ${lineAndColumn(text, earlier.at)}: join the two with |.`,
        rule.at,
      );
    }
    rules.set(rule.name, rule);
    if (rules.size > MOST_RULES) {
      throw new ConstraintLimitError(`it has more than ${MOST_RULES} rules`, lineAndColumn(text, rule.at));
    }
  }
  for (const rule of rules.values()) checkReferences(reader, rules, rule.body);
  return rules;
}

function parseRule(reader: Reader): Rule {
  const at = reader.at;
  const name = reader.name() ?? reader.expected('a rule, such as root ::= "yes" | "no"');
  reader.skip();
  if (!reader.take("::=")) reader.expected(`"::=" after the rule's name "${name}"`);
  const body = parseAlternatives(reader, 0);
  if (!reader.isAtEnd && !reader.isAtRule) {
    reader.expected('a literal, a class, a rule\'s name, "(", "|" or the next rule');
  }
  return { name, body, at };
}

function parseAlternatives(reader: Reader, depth: number): GbnfNode {
  if (depth > MOST_NESTED) {
    const where = lineAndColumn(reader.text, reader.at);
    throw new ConstraintLimitError(`groups are nested more than ${MOST_NESTED} levels deep`, where);
  }
  const parts = [parseSequence(reader, depth)];
  while (reader.take("|")) parts.push(parseSequence(reader, depth));
  return alternativesOf(...parts);
}

function parseSequence(reader: Reader, depth: number): GbnfNode {
  const parts: GbnfNode[] = [];
  for (;;) {
    reader.skip();
    const item = parseItem(reader, depth);
    if (item === null) return sequenceOf(...parts);
    parts.push(parseRepetitions(reader, item));
  }
}

function parseItem(reader: Reader, depth: number): GbnfNode | null {
  switch (reader.peek()) {
    case '"':
      return parseLiteral(reader);
    case "[":
      return parseClass(reader);
    case "(":
      return parseGroup(reader, depth);
    case ".":
      reader.take(".");
      return charactersOf([], true);
    case "<":
      return reader.fail("tokens are not supported: write the text that the token stands for, as a literal.");
  }
  if (reader.isAtRule) return null;
  const at = reader.at;
  const rule = reader.name();
  return rule === null ? null : { kind: "reference", rule, at };
}

function parseLiteral(reader: Reader): GbnfNode {
  const start = reader.at;
  reader.take('"');
  let text = "";
  while (!reader.take('"')) {
    if (reader.isAtEnd) reader.fail('the literal is not closed: write " after it.', start);
    text += String.fromCodePoint(reader.character());
  }
  return text === "" ? sequenceOf() : { kind: "text", text };
}

function parseClass(reader: Reader): GbnfNode {
  const start = reader.at;
  reader.take("[");
  const negated = reader.take("^");
  const ranges: [number, number][] = [];
  while (!reader.take("]")) {
    if (reader.isAtEnd) reader.fail("the class is not closed: write ] after it.", start);
    ranges.push(parseRange(reader));
  }
  if (ranges.length === 0) reader.fail("the class is empty: write characters in it, such as [a-z].", start);
  return charactersOf(ranges, negated);
}

function parseRange(reader: Reader): [number, number] {
  const start = reader.at;
  const first = reader.character();
  if (reader.peek() !== "-" || reader.text.charAt(reader.at + 1) === "]") return [first, first];
  reader.take("-");
  if (reader.isAtEnd) return [first, first];
  const last = reader.character();
  if (last < first) {
    const written = reader.text.slice(start, reader.at);
    reader.fail(`the range ${written} runs backwards: write its smaller character first.`, start);
  }
  return [first, last];
}

function parseGroup(reader: Reader, depth: number): GbnfNode {
  const start = reader.at;
  reader.take("(");
  const body = parseAlternatives(reader, depth + 1);
  if (reader.take(")")) return body;
  if (reader.isAtEnd) reader.fail("the group is not closed: write ) after it.", start);
  return reader.expected('a literal, a class, a rule\'s name, "(", "|" or ")"');
}

function parseRepetitions(reader: Reader, item: GbnfNode): GbnfNode {
  let node = item;
  for (;;) {
    reader.skip();
    const bounds = parseBounds(reader);
    if (bounds === null) return node;
    node = { kind: "repeat", body: node, ...bounds };
  }
}

function parseBounds(reader: Reader): { min: number; max: number } | null {
  if (reader.take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
  if (reader.take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
  if (reader.take("?")) return { min: 0, max: 1 };
  const start = reader.at;
  if (!reader.take("{")) return null;
  const number = (): number | null => {
    reader.skip();
    const value = reader.number();
    reader.skip();
    return value;
  };
  const min = number() ?? reader.expected("a whole number, as in {2} or {0,5}");
  const max = reader.take(",") ? (number() ?? Number.POSITIVE_INFINITY) : min;
  if (!reader.take("}")) reader.expected('"}" after the repetition\'s bounds, as in {2,5}');
  if (min > max) reader.fail(`{${min},${max}} runs backwards: write {${max},${min}}.`, start);
  if (!Number.isSafeInteger(min)) reader.fail(`${min} is too large for a count.`, start);
  return { min, max };
}

function checkReferences(reader: Reader, rules: Grammar, node: GbnfNode): void {
  if (node.kind === "reference" && !rules.has(node.rule)) {
    reader.fail(`the rule "${node.rule}" is not defined: write ${node.rule} ::= …`, node.at);
  }
  for (const part of partsOf(node)) checkReferences(reader, rules, part);
}
