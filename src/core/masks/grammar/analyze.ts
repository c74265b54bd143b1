/** Finds properties of a grammar's rules: which rules have a text, which allow the empty text, and which begin with which. */
import { ConstraintLimitError } from "../strategy-error.ts";
import { emptyText, type GbnfNode, type Grammar, partsOf, sequenceOf } from "./syntax.ts";

export interface RuleProperties {
  /** The empty text is one of the rule's texts. */
  readonly isNullable: boolean;
  /** The rule has a text of at least one byte. */
  readonly isFilled: boolean;
}

export type GrammarProperties = ReadonlyMap<string, RuleProperties>;
export type RuleBodies = ReadonlyMap<string, GbnfNode>;
export type RuleCycles = ReadonlyMap<string, ReadonlySet<string>>;

const nowhere: RuleProperties = { isNullable: false, isFilled: false };

/**
 * The properties of all rules. A rule that never comes to an end, such as `a ::= "x" a`, has no text and so is neither nullable
 * nor filled. The properties of a rule are computed again whenever those of a rule that it names change, until nothing changes
 * (a least fixed point).
 */
export function propertiesOf(grammar: Grammar): GrammarProperties {
  const properties = new Map<string, RuleProperties>();
  const users = usersOf(grammar);
  const queue = new Set(grammar.keys());
  for (const name of queue) {
    queue.delete(name);
    const now = propertiesOfNode(properties, grammar.get(name)?.body ?? emptyText);
    const before = properties.get(name) ?? nowhere;
    if (now.isNullable === before.isNullable && now.isFilled === before.isFilled) continue;
    properties.set(name, now);
    for (const user of users.get(name) ?? []) queue.add(user);
  }
  return properties;
}

/** For each rule, the rules whose bodies name it. */
function usersOf(grammar: Grammar): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>([...grammar.keys()].map((name) => [name, new Set()]));
  const collect = (user: string, node: GbnfNode): void => {
    if (node.kind === "reference") users.get(node.rule)?.add(user);
    for (const part of partsOf(node)) collect(user, part);
  };
  for (const { name, body } of grammar.values()) collect(name, body);
  return users;
}

export function propertiesOfNode(properties: GrammarProperties, node: GbnfNode): RuleProperties {
  switch (node.kind) {
    case "text":
      return { isNullable: false, isFilled: true };
    case "characters":
      return { isNullable: false, isFilled: node.set.length > 0 };
    case "reference":
      return properties.get(node.rule) ?? nowhere;
    case "sequence": {
      const parts = node.parts.map((part) => propertiesOfNode(properties, part));
      return {
        isNullable: parts.every((part) => part.isNullable),
        isFilled: parts.every(hasText) && parts.some((part) => part.isFilled),
      };
    }
    case "alternatives": {
      const parts = node.parts.map((part) => propertiesOfNode(properties, part));
      return {
        isNullable: parts.some((part) => part.isNullable),
        isFilled: parts.some((part) => part.isFilled),
      };
    }
    case "repeat": {
      const body = propertiesOfNode(properties, node.body);
      return { isNullable: node.min === 0 || body.isNullable, isFilled: body.isFilled && node.max > 0 };
    }
  }
}

function hasText({ isNullable, isFilled }: RuleProperties): boolean {
  return isNullable || isFilled;
}

/** The bodies of all rules that have a text, without the parts that no text of the rule can contain. */
export function pruneRules(grammar: Grammar, properties: GrammarProperties): RuleBodies {
  const bodies = new Map<string, GbnfNode>();
  for (const { name, body } of grammar.values()) {
    const pruned = prune(properties, body);
    if (pruned !== null) bodies.set(name, pruned);
  }
  return bodies;
}

/**
 * The node without the parts that no text can contain. Null if the node has no text, and `emptyText` if the empty text is
 * its only one.
 */
function prune(properties: GrammarProperties, node: GbnfNode): GbnfNode | null {
  const { isNullable, isFilled } = propertiesOfNode(properties, node);
  if (!isFilled) return isNullable ? emptyText : null;
  switch (node.kind) {
    case "sequence":
      return sequenceOf(...node.parts.map((part) => prune(properties, part) ?? emptyText));
    case "alternatives":
      return { kind: "alternatives", parts: node.parts.flatMap((part) => prune(properties, part) ?? []) };
    case "repeat":
      return { ...node, body: prune(properties, node.body) ?? emptyText };
    default:
      return node;
  }
}

/** The parts with which the texts of a node may begin. In `a b` this is `a`, and `b` too if `a` may be empty. */
function firstParts(properties: GrammarProperties, node: GbnfNode): readonly GbnfNode[] {
  const parts = partsOf(node);
  if (node.kind !== "sequence") return parts;
  const filled = parts.findIndex((part) => !propertiesOfNode(properties, part).isNullable);
  return filled < 0 ? parts : parts.slice(0, filled + 1);
}

/** The rules, named in the node itself, with which its texts may begin. */
export function firstRules(
  properties: GrammarProperties,
  node: GbnfNode,
  found: Set<string> = new Set(),
): Set<string> {
  if (node.kind === "reference") found.add(node.rule);
  for (const part of firstParts(properties, node)) firstRules(properties, part, found);
  return found;
}

/**
 * For each left-recursive rule, the rules that are left-recursive together with it: in `a ::= b "x"` and
 * `b ::= a "y" | "z"`, `a` and `b` for both.
 */
export function findLeftRecursiveRules(properties: GrammarProperties, bodies: RuleBodies): RuleCycles {
  const cycles = new Map<string, ReadonlySet<string>>();
  for (const cycle of cyclesOf(
    new Map([...bodies].map(([name, body]) => [name, firstRules(properties, body)])),
  )) {
    for (const name of cycle) cycles.set(name, cycle);
  }
  return cycles;
}

/** The sets of rules that name one another, directly or through other rules, and each rule that names only itself as a set of its own. */
export function recursiveRules(grammar: Grammar): readonly ReadonlySet<string>[] {
  return cyclesOf(usersOf(grammar));
}

function cyclesOf(edges: Edges): readonly ReadonlySet<string>[] {
  return components(edges).filter((component) =>
    [...component].some((name) => component.size > 1 || edges.get(name)?.has(name)),
  );
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

/** The rules that can be reached from `start` and are not in `seen`, in the order in which the depth-first search leaves them. */
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

/**
 * How deeply groups and rules may be nested at the beginning of a text. Each is a nested call when it is first expanded, and
 * `Derivatives` allows 400 nested calls: 20 are left for the expressions around a rule, for example `seq` and `oneOf`.
 */
const DEEPEST_FRONT = 380;

/** @throws ConstraintLimitError when rules and groups are nested more than DEEPEST_FRONT deep at the start of a text, or at the start of what may follow a part of it. */
export function checkFrontDepth(properties: GrammarProperties, bodies: RuleBodies, cycles: RuleCycles): void {
  const depths = new Map<string, number>();
  const measureRule = (rule: string, above: number): number => {
    const known = depths.get(rule);
    if (known !== undefined) return known;
    const depth = measure(bodies.get(rule) ?? emptyText, above, cycles.get(rule));
    depths.set(rule, depth);
    if (depth > DEEPEST_FRONT) throw tooDeep();
    return depth;
  };
  const measure = (node: GbnfNode, above: number, cycle?: ReadonlySet<string>): number => {
    if (above > DEEPEST_FRONT) throw tooDeep();
    // Rules of one cycle do not nest: `LeftRecursion` rewrites them so that their rests follow one another.
    if (node.kind === "reference") return cycle?.has(node.rule) ? 1 : 1 + measureRule(node.rule, above + 1);
    let below = 0;
    for (const part of firstParts(properties, node)) below = Math.max(below, measure(part, above + 1, cycle));
    return 1 + below;
  };
  const checkFollowingParts = (node: GbnfNode, above: number): void => {
    if (above > DEEPEST_FRONT) throw tooDeep();
    const { length } = firstParts(properties, node);
    for (const part of partsOf(node).slice(length)) if (measure(part, 0) > DEEPEST_FRONT) throw tooDeep();
    for (const part of partsOf(node)) checkFollowingParts(part, above + 1);
  };
  for (const rule of bodies.keys()) measureRule(rule, 0);
  for (const body of bodies.values()) checkFollowingParts(body, 0);
}

function tooDeep(): ConstraintLimitError {
  return new ConstraintLimitError(`rules and groups are nested more than ${DEEPEST_FRONT} levels deep`);
}
