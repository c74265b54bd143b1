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
const MOST_OPTIONS = 64;

/** The members and items that are evaluated if these conditions hold. */
interface Option {
  readonly conditions: readonly Formula[];
  readonly names: readonly string[];
  readonly patterns: readonly string[];
  /** The number of evaluated items at the start. */
  readonly length: number;
  readonly all: boolean;
}

const nothing: Option = { conditions: [], names: [], patterns: [], length: 0, all: false };

class TooMany extends Error {}

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
          "cannot be enforced where not, oneOf or if negates the schema; use additionalProperties or items instead",
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
    const choices = optionsOf(node, type, of, true).map((option) => {
      if (option.all) return and(option.conditions);
      const rest = atom(
        type === "array"
          ? { is: "items", prefix: Array.from({ length: option.length }, () => always), rest: others }
          : {
              is: "members",
              properties: new Map(option.names.map((name) => [name, always])),
              patterns: option.patterns.map((pattern) => ({ pattern, schema: always })),
              additional: others,
              path,
              isListed: false,
            },
      );
      return and([...option.conditions, rest]);
    });
    return or(choices);
  } catch (error) {
    if (!(error instanceof TooMany)) throw error;
    return refused(path, `there are more than ${MOST_OPTIONS} ways to match the other keywords`);
  }
}

function hasContains(node: SchemaNode): boolean {
  return node.contains !== null || node.inPlace().some(hasContains);
}

/** `isOuter`: whether the node is the schema whose own keyword is being enforced. */
function optionsOf(node: SchemaNode, type: "array" | "object", of: AssertionOf, isOuter: boolean): Option[] {
  const own = looksAt(node, type);
  if (!isOuter && node[type === "object" ? "unevaluatedProperties" : "unevaluatedItems"] !== null) {
    return [{ ...own, all: true }];
  }
  let options = [own];
  const combine = (others: readonly Option[]) => {
    options = options.flatMap((option) => others.map((other) => joined(option, other)));
    if (options.length > MOST_OPTIONS) throw new TooMany();
  };
  const inside = (child: SchemaNode) => optionsOf(child, type, of, false);
  const holding = (child: SchemaNode) => given([of(child).yes], inside(child));
  for (const child of [...node.targets, ...node.allOf]) combine(inside(child));
  for (const child of node.anyOf) if (looks(child, type)) combine([nothing, ...holding(child)]);
  const members = node.oneOf.filter((child) => looks(child, type));
  if (members.length > 0) combine([nothing, ...members.flatMap(holding)]);
  for (const [name, child] of node.dependentSchemas) {
    const present = atom({ is: "required", names: [name] });
    if (looks(child, type)) combine([nothing, ...given([present], holding(child))]);
  }
  if (node.condition !== null && looks(node, type)) combine(ofCondition(node.condition, inside, of));
  return options;
}

function ofCondition(
  { test, yes: then, no: otherwise }: NonNullable<SchemaNode["condition"]>,
  inside: (child: SchemaNode) => Option[],
  of: AssertionOf,
): Option[] {
  const holds = inside(test).flatMap((option) =>
    then === null ? [option] : inside(then).map((other) => joined(option, other)),
  );
  return [
    ...given([of(test).yes, then === null ? trueFormula : of(then).yes], holds),
    ...given([of(test).no()], otherwise === null ? [nothing] : inside(otherwise)),
  ];
}

function given(conditions: readonly Formula[], options: readonly Option[]): Option[] {
  if (conditions.includes(falseFormula)) return [];
  return options.map((option) => ({ ...option, conditions: [...conditions, ...option.conditions] }));
}

function joined(a: Option, b: Option): Option {
  return {
    conditions: [...a.conditions, ...b.conditions],
    names: [...a.names, ...b.names],
    patterns: [...a.patterns, ...b.patterns],
    length: Math.max(a.length, b.length),
    all: a.all || b.all,
  };
}

/** The members and items that the schema's own keywords evaluate. */
function looksAt(node: SchemaNode, type: "array" | "object"): Option {
  if (type === "array") return { ...nothing, length: node.prefix.length, all: node.items !== null };
  return {
    ...nothing,
    names: [...(node.properties?.keys() ?? [])],
    patterns: node.patternProperties.map(({ pattern }) => pattern),
    all: node.additional !== null,
  };
}

/** Whether the schema, or a schema that it applies to the same value, evaluates a property or an item. */
function looks(node: SchemaNode, type: "array" | "object"): boolean {
  const { names, patterns, length, all } = looksAt(node, type);
  const own = type === "object" ? node.unevaluatedProperties : node.unevaluatedItems;
  return (
    all ||
    own !== null ||
    names.length + patterns.length + length > 0 ||
    node.inPlace().some((child) => looks(child, type))
  );
}
