/** Values that are written down in the schema: `const` and `enum`. */
import type { Expression } from "../../automaton/expression.ts";
import { utf8 } from "../../automaton/utf8.ts";
import type { Json } from "../normal-form.ts";
import { isArray } from "../read/json-value.ts";
import { branches } from "./branches.ts";
import type { Emission, WhiteSpace } from "./emission.ts";

export interface LiteralChoice {
  readonly value: Json;
  /** Says what value and continuation are. */
  readonly key: string;
  readonly next: () => Expression;
}

/** Any of the values, each followed by its continuation. @param key names this set of choices. */
export function literals(emission: Emission, key: string, choices: readonly LiteralChoice[]): Expression {
  const texts = new Map<string, LiteralChoice>();
  const shaped: Expression[] = [];
  for (const choice of choices) {
    const text = textOf(choice.value, emission);
    if (text !== null) texts.set(text, choice);
    else shaped.push(emission.expressions.sequence(container(emission, choice.value), choice.next()));
  }
  const list = [...texts].map(([text, choice]) => ({
    key: choice.key,
    bytes: utf8(text),
    next: choice.next,
  }));
  return emission.expressions.union(branches(emission, key, list), ...shaped);
}

/** One text of a value: the only one, or on one line if the white space allows several. */
export function plainText(value: Json, whiteSpace: WhiteSpace): string {
  return whiteSpace === "spaced" || whiteSpace === "usual" ? spaced(value) : JSON.stringify(value);
}

/** The only text of a value; null if the white space allows several. */
function textOf(value: Json, { options: { whiteSpace } }: Emission): string | null {
  if (value === null || typeof value !== "object" || whiteSpace === "compact") return JSON.stringify(value);
  return whiteSpace === "spaced" ? spaced(value) : null;
}

function spaced(value: Json): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`);
  return `{${members.join(", ")}}`;
}

function container(emission: Emission, value: Json): Expression {
  const { expressions, style } = emission;
  const { sequence, literal } = {
    sequence: (...parts: Expression[]) => expressions.sequence(...parts),
    literal: (text: string) => expressions.literal(text),
  };
  if (value === null || typeof value !== "object") return literal(JSON.stringify(value));
  const parts = isArray(value)
    ? value.map((item) => container(emission, item))
    : Object.entries(value).map(([name, member]) =>
        sequence(literal(JSON.stringify(name)), style.colon, container(emission, member)),
      );
  const [open, close] = isArray(value) ? ["[", "]"] : ["{", "}"];
  const inside = parts.flatMap((part, index) => [...(index === 0 ? [] : [style.gap, style.comma]), part]);
  return sequence(
    literal(open),
    style.gap,
    style.line,
    ...inside,
    ...(inside.length > 0 ? [style.gap, style.line] : []),
    literal(close),
  );
}
