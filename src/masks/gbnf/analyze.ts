/** What can be said of a grammar's rules: which have a text at all, which the empty text, and which begin with which. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { emptyText, type GbnfNode, type Grammar, sequenceOf } from "./syntax.ts";

export interface RuleFacts {
  /** The empty text is one of its texts. */
  readonly isNullable: boolean;
  /** It has a text of at least one byte. */
  readonly isFilled: boolean;
}

export type Facts = ReadonlyMap<string, RuleFacts>;
export type Bodies = ReadonlyMap<string, GbnfNode>;
export type Cycles = ReadonlyMap<string, ReadonlySet<string>>;

const nowhere: RuleFacts = { isNullable: false, isFilled: false };

/** The least solution: a rule without any text is neither nullable nor filled. A rule is asked again when one that it names changes. */
export function factsOf(grammar: Grammar): Facts {
  const facts = new Map<string, RuleFacts>();
  const users = usersOf(grammar);
  const queue = new Set(grammar.keys());
  for (const name of queue) {
    queue.delete(name);
    const now = nodeFacts(facts, grammar.get(name)?.body ?? emptyText);
    const before = facts.get(name) ?? nowhere;
    if (now.isNullable === before.isNullable && now.isFilled === before.isFilled) continue;
    facts.set(name, now);
    for (const user of users.get(name) ?? []) queue.add(user);
  }
  return facts;
}

/** For each rule, the rules that name it. */
function usersOf(grammar: Grammar): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>([...grammar.keys()].map((name) => [name, new Set()]));
  const collect = (user: string, node: GbnfNode): void => {
    if (node.kind === "reference") users.get(node.rule)?.add(user);
    else if (node.kind === "repeat") collect(user, node.body);
    else if ("parts" in node) for (const part of node.parts) collect(user, part);
  };
  for (const { name, body } of grammar.values()) collect(name, body);
  return users;
}

export function nodeFacts(facts: Facts, node: GbnfNode): RuleFacts {
  switch (node.kind) {
    case "text":
      return { isNullable: false, isFilled: true };
    case "characters":
      return { isNullable: false, isFilled: node.set.length > 0 };
    case "reference":
      return facts.get(node.rule) ?? nowhere;
    case "sequence": {
      const parts = node.parts.map((part) => nodeFacts(facts, part));
      return {
        isNullable: parts.every((part) => part.isNullable),
        isFilled: parts.every(hasText) && parts.some((part) => part.isFilled),
      };
    }
    case "alternatives": {
      const parts = node.parts.map((part) => nodeFacts(facts, part));
      return {
        isNullable: parts.some((part) => part.isNullable),
        isFilled: parts.some((part) => part.isFilled),
      };
    }
    case "repeat": {
      const body = nodeFacts(facts, node.body);
      return { isNullable: node.min === 0 || body.isNullable, isFilled: body.isFilled && node.max > 0 };
    }
  }
}

function hasText({ isNullable, isFilled }: RuleFacts): boolean {
  return isNullable || isFilled;
}

/** The bodies of all rules that have a text, without what can never be part of one. */
export function pruneRules(grammar: Grammar, facts: Facts): Bodies {
  const bodies = new Map<string, GbnfNode>();
  for (const { name, body } of grammar.values()) {
    const pruned = prune(facts, body);
    if (pruned !== null) bodies.set(name, pruned);
  }
  return bodies;
}

/** Null when the node has no text at all. References to rules of the empty text alone go. */
function prune(facts: Facts, node: GbnfNode): GbnfNode | null {
  const { isNullable, isFilled } = nodeFacts(facts, node);
  if (!isFilled) return isNullable ? emptyText : null;
  switch (node.kind) {
    case "sequence":
      return sequenceOf(...node.parts.map((part) => prune(facts, part) ?? emptyText));
    case "alternatives":
      return { kind: "alternatives", parts: node.parts.flatMap((part) => prune(facts, part) ?? []) };
    case "repeat":
      return { ...node, body: prune(facts, node.body) ?? emptyText };
    default:
      return node;
  }
}

/** The rules that may come first in a text of the node, those after parts that may be empty too. */
export function firstRules(facts: Facts, node: GbnfNode, found: Set<string> = new Set()): Set<string> {
  switch (node.kind) {
    case "reference":
      found.add(node.rule);
      break;
    case "alternatives":
      for (const part of node.parts) firstRules(facts, part, found);
      break;
    case "repeat":
      firstRules(facts, node.body, found);
      break;
    case "sequence":
      for (const part of node.parts) {
        firstRules(facts, part, found);
        if (!nodeFacts(facts, part).isNullable) break;
      }
  }
  return found;
}

/** For each rule that begins with itself, directly or not: the rules that do so with it. */
export function leftRecursive(facts: Facts, bodies: Bodies): Cycles {
  const edges = new Map([...bodies].map(([name, body]) => [name, firstRules(facts, body)]));
  const cycles = new Map<string, ReadonlySet<string>>();
  for (const component of components(edges)) {
    for (const name of component) {
      if (component.size > 1 || edges.get(name)?.has(name)) cycles.set(name, component);
    }
  }
  return cycles;
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/** Strongly connected components (Kosaraju and Sharir 1981), without recursion. */
function components(edges: Edges): Set<string>[] {
  const reversed = new Map<string, Set<string>>([...edges.keys()].map((name) => [name, new Set()]));
  for (const [name, nexts] of edges) for (const next of nexts) reversed.get(next)?.add(name);
  const seen = new Set<string>();
  const finished = [...edges.keys()].flatMap((name) => visit(name, edges, seen));
  const placed = new Set<string>();
  return finished
    .reverse()
    .map((name) => new Set(visit(name, reversed, placed)))
    .filter(({ size }) => size > 0);
}

/** What is reached from `start` and was not seen before, in the order in which it is left. */
function visit(start: string, edges: Edges, seen: Set<string>): string[] {
  if (seen.has(start)) return [];
  const order: string[] = [];
  const path = [{ name: start, nexts: [...(edges.get(start) ?? [])] }];
  seen.add(start);
  for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
    const next = at.nexts.pop();
    if (next === undefined) {
      order.push(at.name);
      path.pop();
    } else if (!seen.has(next)) {
      seen.add(next);
      path.push({ name: next, nexts: [...(edges.get(next) ?? [])] });
    }
  }
  return order;
}

/** Most groups and rules in one another at the front of a text: each is a call deep when it is first needed. */
const DEEPEST_FRONT = 500;

/** @throws ConstraintLimitError when what comes first lies too deep in rules and groups. */
export function checkFrontDepth(facts: Facts, bodies: Bodies, cycles: Cycles): void {
  const depths = new Map<string, number>();
  const measure = (rule: string, above: number): number => {
    const known = depths.get(rule);
    if (known !== undefined) return known;
    if (above > DEEPEST_FRONT) throw tooDeep();
    const body = bodies.get(rule) ?? emptyText;
    const own = groupDepth(body);
    let below = 0;
    for (const first of firstRules(facts, body)) {
      // Rules that begin with one another are rewritten: their rests follow one another, and not deeper.
      if (!cycles.get(rule)?.has(first)) below = Math.max(below, measure(first, above + own));
    }
    depths.set(rule, own + below);
    if (own + below > DEEPEST_FRONT) throw tooDeep();
    return own + below;
  };
  for (const rule of bodies.keys()) measure(rule, 0);
}

function groupDepth(node: GbnfNode): number {
  switch (node.kind) {
    case "sequence":
    case "alternatives":
      return 1 + node.parts.reduce((most, part) => Math.max(most, groupDepth(part)), 0);
    case "repeat":
      return 1 + groupDepth(node.body);
    default:
      return 1;
  }
}

function tooDeep(): ConstraintLimitError {
  return new ConstraintLimitError(
    `what comes first in a text lies more than ${DEEPEST_FRONT} rules and groups deep`,
  );
}
