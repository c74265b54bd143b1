/** Values that are written down in the schema: `const` and `enum`. */
import type { Expression } from "../../automaton/expression.ts";
import { encodeUtf8 } from "../../automaton/utf8.ts";
import type { Json } from "../normal-form.ts";
import { isArray } from "../read/json-value.ts";
import { branchesExpression } from "./branches.ts";
import type { Emission, WhiteSpace } from "./emission.ts";

export interface LiteralChoice {
  readonly value: Json;
  /** Says what value and continuation are. */
  readonly key: () => string;
  readonly next: () => Expression;
}

/** Any of the values, each followed by its continuation. @param key names this set of choices. */
export function literalsExpression(
  emission: Emission,
  key: string,
  choices: readonly LiteralChoice[],
): Expression {
  const texts = new Map<string, LiteralChoice>();
  const shaped: Expression[] = [];
  for (const choice of choices) {
    const text = textOf(choice.value, emission);
    if (text !== null) texts.set(text, choice);
    else shaped.push(emission.expressions.sequence(container(emission, choice.value), choice.next()));
  }
  const list = [...texts].map(([text, choice]) => ({ bytes: encodeUtf8(text), choice }));
  const branches = branchesExpression(emission, key, list, ({ bytes, choice }) => ({
    key: choice.key(),
    bytes,
    next: choice.next,
  }));
  return emission.expressions.union(branches, ...shaped);
}

/** Any of the values, with nothing after them. @param key names this set of values. */
export function valuesExpression(emission: Emission, key: string, values: readonly Json[]): Expression {
  const choices = values.map((value) => ({
    value,
    key: () => `l${emission.shortName(JSON.stringify(value))}`,
    next: () => emission.expressions.empty,
  }));
  return literalsExpression(emission, `l${emission.shortName(key)}`, choices);
}

/** One text of a value: the only one, or on one line if the white space allows several. */
export function plainText(value: Json, whiteSpace: WhiteSpace): string {
  return whiteSpace === "spaced" || whiteSpace === "usual" ? spaced(value) : JSON.stringify(value);
}

/** The only text of a value; null if the white space or the order of properties allows several. */
function textOf(value: Json, { options: { order, whiteSpace } }: Emission): string | null {
  const isOneLine = whiteSpace === "compact" || whiteSpace === "spaced";
  if (isOneLine && !(order === "any" && hasProperties(value))) return plainText(value, whiteSpace);
  return value === null || typeof value !== "object" ? JSON.stringify(value) : null;
}

/** Whether an object with properties is in the value. */
function hasProperties(value: Json): boolean {
  if (value === null || typeof value !== "object") return false;
  const parts = Object.values(value);
  return isArray(value) ? parts.some(hasProperties) : parts.length > 0;
}

function spaced(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(", ")}}`;
}

function container(emission: Emission, value: Json): Expression {
  const { expressions, style } = emission;
  if (value === null || typeof value !== "object") return expressions.literal(JSON.stringify(value));
  const parts = isArray(value)
    ? value.map((item) => container(emission, item))
    : Object.entries(value).map(([name, member]) =>
        expressions.sequence(
          expressions.literal(JSON.stringify(name)),
          style.colon,
          container(emission, member),
        ),
      );
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
  const isFree = emission.options.order === "any" && !isArray(value);
  const name = `o${emission.shortName(JSON.stringify(value))}`;
  const inside = isFree ? inAnyOrder(emission, name, parts) : separated(emission, parts);
  return expressions.sequence(
    expressions.literal(open),
    style.gap,
    style.line,
    inside,
    ...(parts.length > 0 ? [style.gap, style.line] : []),
    expressions.literal(close),
  );
}

function separated({ expressions, style }: Emission, parts: readonly Expression[]): Expression {
  const inside = parts.flatMap((part, index) => [...(index === 0 ? [] : [style.gap, style.comma]), part]);
  return expressions.sequence(...inside);
}

/** The parts in every order. @param name of the object @param left which of the parts are left. */
function inAnyOrder(
  emission: Emission,
  name: string,
  parts: readonly Expression[],
  left: readonly number[] = [...parts.keys()],
): Expression {
  const ways = left.map((index) => {
    const others = left.filter((other) => other !== index);
    const part = parts[index] as Expression;
    if (others.length === 0) return part;
    return separated(emission, [
      part,
      emission.rule(`${name}-${others}`, () => inAnyOrder(emission, name, parts, others)),
    ]);
  });
  return ways.length === 0 ? emission.expressions.empty : emission.expressions.union(...ways);
}
