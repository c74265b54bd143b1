/** The scores of one answer. */
import type { AnswerCase, Json } from "./cases.ts";

export interface Score {
  /** The whole answer is JSON, and ended before the limit of tokens. */
  readonly isValid: boolean;
  /** Names that the schema does not declare. */
  readonly wrongNames: number;
  /** A text or number of more than 60 characters, or the value in which the answer was cut off. */
  readonly endlessValues: number;
  /** The same call twice, the same item of a list twice, or a text that repeats a word four times in a row. */
  readonly repetitions: number;
  /** Fields whose right value stands in the answer without constraint. */
  readonly known: number;
  /** The values among them that the constrained answer has too. */
  readonly kept: number;
  /** Right values of all fields. */
  readonly right: number;
  readonly fields: number;
}

const LONGEST_VALUE = 60;

export function scoreAnswer(
  answerCase: AnswerCase,
  answer: { readonly text: string; readonly values: readonly Json[]; readonly isCut: boolean },
  free: string,
): Score {
  const { facts, schema } = answerCase;
  const [value] = answer.values;
  const declared = Object.keys((schema.properties ?? {}) as object);
  const names = isObject(value) ? Object.keys(value) : [];
  const fields = Object.keys(facts);
  const isRight = (name: string) => isObject(value) && sameValue(value[name], facts[name] as Json);
  const known = fields.filter((name) => leaves(facts[name] as Json).every((leaf) => hasText(free, leaf)));
  const long = answer.values.flatMap(leaves).filter((leaf) => String(leaf).length > LONGEST_VALUE);
  return {
    isValid: value !== undefined && !answer.isCut,
    wrongNames: names.filter((name) => !declared.includes(name)).length,
    endlessValues: long.length + Number(answer.isCut),
    repetitions: repetitionsOf(answer.values) + Number(/(\b\w+\W+)\1{3}/.test(answer.text)),
    known: known.length,
    kept: known.filter(isRight).length,
    right: fields.filter(isRight).length,
    fields: fields.length,
  };
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function leaves(value: Json): Json[] {
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value];
}

/** Texts are compared without case and what is around them: "Call Anna" stands in "call Anna." */
function sameValue(given: Json | undefined, right: Json): boolean {
  if (typeof right === "string")
    return typeof given === "string" && hasText(given, right) && given.length < 2 * right.length + 8;
  if (typeof right !== "object" || right === null) return given === right;
  if (typeof given !== "object" || given === null) return false;
  const entries = Object.entries(right);
  return (
    Object.keys(given).length === entries.length &&
    entries.every(([name, each]) => sameValue((given as Record<string, Json>)[name], each))
  );
}

function hasText(text: string, value: Json): boolean {
  return text.toLowerCase().includes(String(value).toLowerCase());
}

function repetitionsOf(values: readonly Json[]): number {
  const lists = [values, ...values.flatMap(listsIn)];
  return lists.reduce(
    (sum, list) => sum + list.length - new Set(list.map((each) => JSON.stringify(each))).size,
    0,
  );
}

function listsIn(value: Json): readonly Json[][] {
  if (Array.isArray(value)) return [value as Json[], ...value.flatMap(listsIn)];
  return isObject(value) ? Object.values(value).flatMap(listsIn) : [];
}
