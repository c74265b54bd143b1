/** Reads the fields of one object of `models.json` and checks their types. */
import { formatNameSuggestion, unknownKey } from "../../../core/base/known-keys.ts";
import { isRecord } from "../../../core/base/record.ts";
import { type Dtype, dtypeNames, isDtype } from "../base/dtype.ts";

/** Throws the error about a field with a wrong value. `expected`: the allowed values in words, for example "a whole number above 0". */
export type Fail = (field: string, value: unknown, expected: string) => never;

/** An item of a list. */
export interface ItemReader {
  choice<Value>(values: readonly Value[]): Value;
  object(): FieldReader;
}

export interface FieldReader {
  readonly fail: Fail;
  has(field: string): boolean;
  isNull(field: string): boolean;
  value(field: string): unknown;
  /** Throws for a field that is not in this list. */
  only(fields: readonly string[]): void;
  text(field: string): string;
  /** A whole number above 0. */
  count(field: string): number;
  choice<Value>(field: string, values: readonly Value[]): Value;
  dtype(field: string): Dtype;
  object(field: string): FieldReader;
  items(field: string): readonly ItemReader[];
}

/** `path` is put before each field name that `fail` receives. */
export function createFieldReader(value: unknown, fail: Fail, path = ""): FieldReader {
  if (!isRecord(value)) return fail(path.replace(/\.$/, "") || "model", value, "an object");
  const failAt: Fail = (field, given, expected) => fail(path + field, given, expected);
  const choice = <Value>(field: string, given: unknown, values: readonly Value[]): Value => {
    const found = (values as readonly unknown[]).indexOf(given);
    if (found < 0) failAt(field, given, `one of ${values.map(String).join(", ")}`);
    return values[found] as Value;
  };
  const objectAt = (field: string, given: unknown) => createFieldReader(given, fail, `${path}${field}.`);
  return {
    fail: failAt,
    has: (field) => value[field] !== undefined,
    isNull: (field) => value[field] === null,
    value: (field) => value[field],
    only(fields) {
      const extra = unknownKey(value, fields);
      if (extra !== undefined)
        failAt(extra, value[extra], `a known field. ${formatNameSuggestion(extra, fields)}`);
    },
    text(field) {
      const given = value[field];
      return typeof given === "string" && given.trim() !== ""
        ? given
        : failAt(field, given, "a non-empty string");
    },
    count(field) {
      const given = value[field];
      const isCount = typeof given === "number" && Number.isSafeInteger(given) && given > 0;
      return isCount ? given : failAt(field, given, "a whole number above 0");
    },
    choice: (field, values) => choice(field, value[field], values),
    dtype(field) {
      const given = value[field];
      return isDtype(given) ? given : failAt(field, given, `a dtype: one of ${dtypeNames.join(", ")}`);
    },
    object: (field) => objectAt(field, value[field]),
    items(field) {
      const given = value[field];
      if (!Array.isArray(given)) return failAt(field, given, "a list");
      return given.map((item: unknown, index) => ({
        choice: (values) => choice(`${field}[${index}]`, item, values),
        object: () => objectAt(`${field}[${index}]`, item),
      }));
    },
  };
}
