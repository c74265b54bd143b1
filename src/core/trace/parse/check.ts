/**
 * Readers of untrusted JSON. Each reader builds a fresh value from the given one, or throws an error with the path of the wrong
 * value.
 */
import { formatNameSuggestion, unknownKey } from "../../base/known-keys.ts";
import { isRecord } from "../../base/record.ts";
import { describeValue } from "../../base/show.ts";
import { TraceError } from "../format/trace-error.ts";

/**
 * @param isOurs true for a value that this program has just built, field by field and without other fields. Such a value is
 * checked, and the same object is returned if nothing must change. Any other value is rebuilt.
 * @throws TraceError if `value` is not of the type.
 */
export type Reader<Type> = (value: unknown, isOurs?: boolean) => Type;

/**
 * An error inside a value. Each reader around the value puts its own key in front of `path`: `draw`, then `[4].draw`, then
 * `records[4].draw`.
 */
export class PathError extends TraceError {
  override name = "TraceError";
  constructor(
    readonly path: string,
    readonly expectation: string,
  ) {
    super(`The trace is damaged: ${path || "it"} ${expectation}.`);
  }
}

/** Adds the key to an error that a reader one level down threw. */
export function addErrorKey(key: string | number, error: unknown): unknown {
  if (!(error instanceof PathError)) return error;
  const own = typeof key === "number" ? `[${key}]` : key;
  const joint = error.path === "" || error.path.startsWith("[") ? "" : ".";
  return new PathError(own + joint + error.path, error.expectation);
}

/** Throws the error for a value of the wrong type. @throws PathError */
export function refuse(expected: string, value: unknown): never {
  throw new PathError(
    "",
    `should be ${expected}, but is ${value === undefined ? "missing" : describeValue(value)}`,
  );
}

/** A text of at most `longest` UTF-16 units; halves of surrogate pairs become U+FFFD. */
export function text(longest = 65_536): Reader<string> {
  return (value) => {
    if (typeof value !== "string") return refuse("a string", value);
    if (value.length > longest) {
      throw new PathError("", `has ${value.length} characters; the limit is ${longest}`);
    }
    return toWellFormed(value);
  };
}

/** Replaces halves of surrogate pairs, which UTF-8 cannot hold, with U+FFFD. */
export function toWellFormed(value: string): string {
  return /[\ud800-\udfff]/.test(value)
    ? value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    : value;
}

/** A whole number from `least` to `most`. */
export function whole(least = 0, most: number = Number.MAX_SAFE_INTEGER): Reader<number> {
  return (value) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most
      ? value
      : refuse(`a whole number from ${least} to ${most}`, value);
}

export const finite: Reader<number> = (value) =>
  typeof value === "number" && Number.isFinite(value) ? value : refuse("a finite number", value);

export const truth: Reader<boolean> = (value) =>
  typeof value === "boolean" ? value : refuse("true or false", value);

export function oneOf<const Type extends string | number>(...options: readonly Type[]): Reader<Type> {
  return (value) =>
    options.includes(value as Type) ? (value as Type) : refuse(`one of ${options.join(", ")}`, value);
}

export function nullable<Type>(reader: Reader<Type>): Reader<Type | null> {
  return (value, isOurs) => (value === null ? null : reader(value, isOurs));
}

/** Reads the value of a key that may be missing. */
export function optional<Type>(reader: Reader<Type>): Reader<Type | undefined> {
  return (value, isOurs) => (value === undefined ? undefined : reader(value, isOurs));
}

export function list<Type>(reader: Reader<Type>, most: number): Reader<Type[]> {
  return (value, isOurs = false) => {
    if (!Array.isArray(value)) return refuse("a list", value);
    if (value.length > most) {
      throw new PathError("", `has ${value.length} entries; the limit is ${most}`);
    }
    let result: Type[] = isOurs ? value : new Array<Type>(value.length);
    let place = 0;
    try {
      for (; place < value.length; place += 1) {
        const read = reader(value[place], isOurs);
        if (result === value && read !== value[place]) result = [...value];
        if (result !== value) result[place] = read;
      }
    } catch (error) {
      throw addErrorKey(place, error);
    }
    return result;
  };
}

/**
 * Reads an object with exactly the named fields. Other fields are dropped, and only own properties are read. `Type` comes from the
 * caller and not from the readers, so that the compiler asks for a reader of each field, the optional ones too.
 */
export function fields<Type extends object>(
  readers: { readonly [Key in keyof NoInfer<Type>]-?: Reader<NoInfer<Type>[Key]> },
): Reader<Type> {
  const entries = Object.entries(readers) as [string, Reader<unknown>][];
  return (value, isOurs = false) => {
    if (!isRecord(value)) return refuse("an object", value);
    let result: Record<string, unknown> = isOurs ? value : {};
    let key = "";
    try {
      for (const entry of entries) {
        key = entry[0];
        const own = isOurs || Object.hasOwn(value, key) ? value[key] : undefined;
        const read = entry[1](own, isOurs);
        if (result === value && read !== own) result = { ...value };
        if (result !== value && read !== undefined) result[key] = read;
      }
    } catch (error) {
      throw addErrorKey(key, error);
    }
    return result as Type;
  };
}

/** Like `fields`, for an object that a user wrote: other fields are refused. */
export function exactFields<Type extends object>(
  readers: { readonly [Key in keyof Type]-?: Reader<Type[Key]> },
): Reader<Type> {
  const known = Object.keys(readers);
  return refusingUnknownFields(known, fields<Type>(readers));
}

/** Refuses fields that are not known before `reader` reads the object. */
export function refusingUnknownFields<Type>(known: readonly string[], reader: Reader<Type>): Reader<Type> {
  return (value, isOurs) => {
    const key = isRecord(value) ? unknownKey(value, known) : undefined;
    if (key !== undefined) throw new PathError(key, `is not known. ${formatNameSuggestion(key, known)}`);
    return reader(value, isOurs);
  };
}

/** Reads a tagged union: the field `type` says which reader reads the object. */
export function tagged<Type extends { readonly type: string }>(
  readers: {
    readonly [Tag in Type["type"]]: Reader<Extract<Type, { type: Tag }>>;
  },
): Reader<Type> {
  const table = new Map(Object.entries<Reader<Type>>(readers as unknown as Record<string, Reader<Type>>));
  return (value, isOurs) => {
    const tag =
      typeof value === "object" && value !== null && Object.hasOwn(value, "type")
        ? (value as { type: unknown }).type
        : refuse("an object with a type", value);
    const reader = typeof tag === "string" ? table.get(tag) : undefined;
    if (reader) return reader(value, isOurs);
    const options = [...table.keys()].join(", ");
    throw new PathError("type", `should be one of ${options}, but is ${describeValue(tag)}`);
  };
}

/** Reads an object of numbers whose keys are token ids, such as a logit bias; at most `most` entries. */
export function numbersById(most: number): Reader<Record<number, number>> {
  return (value) => {
    if (!isRecord(value)) return refuse("an object", value);
    const keys = Object.keys(value);
    if (keys.length > most) throw new PathError("", `has ${keys.length} entries; the limit is ${most}`);
    const result: Record<number, number> = {};
    for (const key of keys) {
      const id = Number(key);
      if (!/^\d{1,10}$/.test(key)) throw new PathError(key.slice(0, 40), "needs a token id as its key");
      try {
        result[id] = finite(value[key]);
      } catch (error) {
        throw addErrorKey(key, error);
      }
    }
    return result;
  };
}
