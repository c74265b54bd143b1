/**
 * `unevaluatedProperties` and `unevaluatedItems`: like `additionalProperties` and `items`, but for properties and items that no
 * schema beside or below them has evaluated. Which schemas hold may depend on the value: then each possibility is an alternative.
 */

import type { SchemaNode } from "../read/schema-node.ts";
import {
  type Assertion,
  type AssertionOf,
  and,
  atom,
  type Formula,
  falseFormula,
  or,
  refused,
  trueFormula,
} from "./atoms.ts";
import type { HandleTable } from "./handle.ts";

/** The most ways in which the schemas of one place can hold. */
const MOST_EVALUATIONS = 64;

/** One way in which the schemas of a place can hold: if the conditions hold, these members or items are evaluated. */
interface Evaluation {
  readonly conditions: readonly Formula[];
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** The number of evaluated items at the start. */
  readonly length: number;
  readonly all: boolean;
}

const nothing: Evaluation = { conditions: [], names: [], patterns: [], length: 0, all: false };

class TooManyEvaluations extends Error {}

export function unevaluatedAssertions(
  node: SchemaNode,
  type: "array" | "object",
  handles: HandleTable,
  of: AssertionOf,
): Assertion[] {
  const keyword = type === "object" ? "unevaluatedProperties" : "unevaluatedItems";
  const asked = node[keyword];
  if (asked === null || handles.of(asked) === handles.always) return [];
  const path = `${node.path}/${keyword}`;
  return [
    {
      yes: enforced(node, asked, type, handles, of, path),
      no: () =>
        refused(
          path,
          'cannot be enforced where "not", "oneOf" or "if" negates the schema; use additionalProperties or items instead',
        ),
    },
  ];
}

function enforced(
  node: SchemaNode,
  asked: SchemaNode,
  type: "array" | "object",
  handles: HandleTable,
  of: AssertionOf,
  path: string,
): Formula {
  if (type === "array" && hasContains(node)) {
    return refused(path, "cannot be enforced beside contains; use items");
  }
  try {
    const { always } = handles;
    const others = handles.of(asked);
    const choices = evaluationsOf(node, type, of, true).map((evaluation) => {
      if (evaluation.all) return and(evaluation.conditions);
      const rest = atom(
        type === "array"
          ? { is: "items", prefix: Array.from({ length: evaluation.length }, () => always), rest: others }
          : {
              is: "members",
              properties: new Map(evaluation.names.map((name) => [name, always])),
              patterns: evaluation.patterns.map((pattern) => ({ pattern, schema: always })),
              additional: others,
              path,
              isListed: false,
            },
      );
      return and([...evaluation.conditions, rest]);
    });
    return or(choices);
  } catch (error) {
    if (!(error instanceof TooManyEvaluations)) throw error;
    return refused(path, `there are more than ${MOST_EVALUATIONS} ways to match the other keywords`);
  }
}

function hasContains(node: SchemaNode): boolean {
  return node.contains !== null || node.inPlace().some(hasContains);
}

/** `isOuter`: whether the node is the schema whose own keyword is being enforced. */
function evaluationsOf(
  node: SchemaNode,
  type: "array" | "object",
  of: AssertionOf,
  isOuter: boolean,
): Evaluation[] {
  const own = ownEvaluation(node, type);
  if (!isOuter && node[type === "object" ? "unevaluatedProperties" : "unevaluatedItems"] !== null) {
    return [{ ...own, all: true }];
  }
  let evaluations = [own];
  const combine = (others: readonly Evaluation[]) => {
    evaluations = evaluations.flatMap((evaluation) => others.map((other) => joined(evaluation, other)));
    if (evaluations.length > MOST_EVALUATIONS) throw new TooManyEvaluations();
  };
  const inside = (child: SchemaNode) => evaluationsOf(child, type, of, false);
  const ifValid = (child: SchemaNode) => under([of(child).yes], inside(child));
  for (const child of [...node.targets, ...node.allOf]) combine(inside(child));
  for (const child of node.anyOf) if (evaluatesSome(child, type)) combine([nothing, ...ifValid(child)]);
  const members = node.oneOf.filter((child) => evaluatesSome(child, type));
  if (members.length > 0) combine([nothing, ...members.flatMap(ifValid)]);
  for (const [name, child] of node.dependentSchemas) {
    const present = atom({ is: "required", names: [name] });
    if (evaluatesSome(child, type)) combine([nothing, ...under([present], ifValid(child))]);
  }
  if (node.condition !== null && evaluatesSome(node, type))
    combine(evaluationsOfCondition(node.condition, inside, of));
  return evaluations;
}

function evaluationsOfCondition(
  { test, yes: then, no: otherwise }: NonNullable<SchemaNode["condition"]>,
  inside: (child: SchemaNode) => Evaluation[],
  of: AssertionOf,
): Evaluation[] {
  const holds = inside(test).flatMap((evaluation) =>
    then === null ? [evaluation] : inside(then).map((other) => joined(evaluation, other)),
  );
  return [
    ...under([of(test).yes, then === null ? trueFormula : of(then).yes], holds),
    ...under([of(test).no()], otherwise === null ? [nothing] : inside(otherwise)),
  ];
}

/** The evaluations that apply if the conditions hold, too. */
function under(conditions: readonly Formula[], evaluations: readonly Evaluation[]): Evaluation[] {
  if (conditions.includes(falseFormula)) return [];
  return evaluations.map((evaluation) => ({
    ...evaluation,
    conditions: [...conditions, ...evaluation.conditions],
  }));
}

function joined(a: Evaluation, b: Evaluation): Evaluation {
  return {
    conditions: [...a.conditions, ...b.conditions],
    names: [...a.names, ...b.names],
    patterns: [...a.patterns, ...b.patterns],
    length: Math.max(a.length, b.length),
    all: a.all || b.all,
  };
}

/** The members and items that the schema's own keywords evaluate. */
function ownEvaluation(node: SchemaNode, type: "array" | "object"): Evaluation {
  if (type === "array") return { ...nothing, length: node.prefixItems.length, all: node.items !== null };
  return {
    ...nothing,
    names: [...(node.properties?.keys() ?? [])],
    patterns: node.patternProperties.map(({ pattern }) => pattern),
    all: node.additionalProperties !== null,
  };
}

/** Whether the schema, or a schema that it applies to the same value, evaluates a property or an item. */
function evaluatesSome(node: SchemaNode, type: "array" | "object"): boolean {
  const { names, patterns, length, all } = ownEvaluation(node, type);
  const own = type === "object" ? node.unevaluatedProperties : node.unevaluatedItems;
  return (
    all ||
    own !== null ||
    names.length + patterns.length + length > 0 ||
    node.inPlace().some((child) => evaluatesSome(child, type))
  );
}
