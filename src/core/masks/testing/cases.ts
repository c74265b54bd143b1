/** How the corpus and the suite are written down, and read. Instances that break a keyword are edits of valid ones. */
import type { Json } from "../json-schema/normal-form.ts";

const dialects = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const;
export type Dialect = (typeof dialects)[number];

/** A schema with instances whose validity is known; ajv agrees with each label (cases.test.ts). */
export interface SchemaCase {
  readonly name: string;
  readonly dialect: Dialect;
  readonly schema: Json;
  readonly valid: readonly Json[];
  readonly invalid: readonly InvalidInstance[];
}

export interface InvalidInstance {
  /** The keyword that is broken. */
  readonly breaks: string;
  readonly value: Json;
}

/**
 * `[keyword, where, value]`: the keyword that is broken, where in which valid instance ("1/items/0": a JSON pointer after the
 * instance's number, which is 0 when it is left out), and what stands there instead; without a value the member is removed.
 */
export type BreakingEdit = readonly [breaks: string, where: string, value?: Json];

/** As a data file has it. */
export interface WrittenCase {
  readonly name: string;
  /** 2020-12 when it is left out. */
  readonly dialect?: Dialect;
  readonly schema: Json;
  readonly valid: readonly Json[];
  readonly invalid: readonly BreakingEdit[];
}

/** @throws Error when an edit points nowhere. */
export function readCase(written: WrittenCase): SchemaCase {
  const { name, dialect = "2020-12", schema, valid, invalid } = written;
  return {
    name,
    dialect,
    schema,
    valid,
    invalid: invalid.map((edit) => ({ breaks: edit[0], value: edited(name, valid, edit) })),
  };
}

function edited(name: string, valid: readonly Json[], edit: BreakingEdit): Json {
  const [, where] = edit;
  const [, index = "", pointer = ""] = /^(\d*)(.*)$/s.exec(where) ?? [];
  const from = valid[index === "" ? 0 : Number(index)];
  const keys = pointer.split("/").slice(1).map(unescapePointer);
  if (keys.length === 0 && edit.length === 3) return edit[2] as Json;
  if (from === undefined) throw new Error(`${name}: there is no valid instance for the edit at "${where}".`);
  return changed(from, keys, edit, `${name}: the edit at "${where}" points nowhere.`);
}

function changed(value: Json, keys: readonly string[], edit: BreakingEdit, nowhere: string): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return edit[2] as Json;
  if (typeof value !== "object" || value === null) throw new Error(nowhere);
  const removes = rest.length === 0 && edit.length === 2;
  if (Array.isArray(value)) {
    const index = Number(key);
    if (!Number.isInteger(index) || index > value.length - (removes ? 1 : 0)) throw new Error(nowhere);
    if (removes) return value.toSpliced(index, 1);
    return value.toSpliced(index, 1, changed(value[index] ?? null, rest, edit, nowhere));
  }
  const members = value as { readonly [key: string]: Json };
  const isThere = Object.hasOwn(members, key);
  if (!isThere && (removes || rest.length > 0)) throw new Error(nowhere);
  if (removes) return Object.fromEntries(Object.entries(members).filter(([name]) => name !== key));
  return { ...members, [key]: changed(members[key] ?? null, rest, edit, nowhere) };
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}
