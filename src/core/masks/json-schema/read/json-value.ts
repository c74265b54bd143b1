/** JSON values: their types, their equality, and a text that is the same for equal values. */
import { isRecord } from "../../../base/record.ts";
import type { Json } from "../normal-form.ts";

export type JsonObject = { readonly [key: string]: Json };

/** One bit for each type of JSON Schema; "integer" means a number without a fraction. */
export const typeBits = { null: 1, boolean: 2, number: 4, string: 8, array: 16, object: 32 } as const;
export type TypeName = keyof typeof typeBits;
export const allTypes = 63;

export function isArray(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: unknown): value is JsonObject {
  return isRecord(value);
}

export function typeOf(value: Json): TypeName {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  return typeof value as TypeName;
}

/** The same text for values that JSON Schema calls equal (2020-12, 4.2.2): the order of an object's members does not count. */
export function canonicalText(value: Json): string {
  if (value === 0) return "0"; // -0 too
  if (isArray(value)) return `[${value.map(canonicalText).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalText(value[name] as Json)}`);
  return `{${members.join()}}`;
}
