/** Readers of untrusted JSON: each takes a value apart and builds a fresh one, or throws with the path of what is wrong. */
import { isRecord } from "../base/record.ts";
import { show } from "../base/show.ts";
import { TraceError } from "./trace-error.ts";

/** @throws TraceError when `value` is not what it should be. */
export type Reader<Type> = (value: unknown) => Type;

/**
 * An error inside a value. Each reader around the value puts its own key before `path`: `draw`, then `[4].draw`, then
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

/** Runs a reader one level down, so that what it throws names the key. */
function at<Type>(key: string | number, reader: Reader<Type>, value: unknown): Type {
  try {
    return reader(value);
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    const own = typeof key === "number" ? `[${key}]` : key;
    const joint = error.path === "" || error.path.startsWith("[") ? "" : ".";
    throw new PathError(own + joint + error.path, error.expectation);
  }
}

function refuse(expected: string, value: unknown): never {
  throw new PathError("", `should be ${expected}, and is ${value === undefined ? "missing" : show(value)}`);
}

/** A text of at most `longest` UTF-16 units; halves of surrogate pairs become U+FFFD. */
export function text(longest = 65_536): Reader<string> {
  return (value) => {
    if (typeof value !== "string") return refuse("a text", value);
    if (value.length > longest) {
      throw new PathError("", `has ${value.length} characters, and at most ${longest} are taken`);
    }
    return /[\ud800-\udfff]/.test(value) ? wellFormed(value) : value;
  };
}

/** Halves of surrogate pairs, which no UTF-8 can hold, become U+FFFD. */
export function wellFormed(value: string): string {
  return value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
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
    options.find((option) => option === value) ?? refuse(`one of ${options.join(", ")}`, value);
}

export function nullable<Type>(reader: Reader<Type>): Reader<Type | null> {
  return (value) => (value === null ? null : reader(value));
}

/** Reads the value of a key that may be missing. */
export function optional<Type>(reader: Reader<Type>): Reader<Type | undefined> {
  return (value) => (value === undefined ? undefined : reader(value));
}

export function list<Type>(reader: Reader<Type>, most: number): Reader<Type[]> {
  return (value) => {
    if (!Array.isArray(value)) return refuse("a list", value);
    if (value.length > most) {
      throw new PathError("", `has ${value.length} entries, and at most ${most} are taken`);
    }
    const result: Type[] = [];
    for (let place = 0; place < value.length; place += 1) result.push(at(place, reader, value[place]));
    return result;
  };
}

/** Reads an object with exactly the named fields. Other fields are dropped, and only own properties are read. */
export function fields<Type extends object>(
  readers: { readonly [Key in keyof Type]-?: Reader<Type[Key]> },
): Reader<Type> {
  const entries = Object.entries(readers) as [string, Reader<unknown>][];
  return (value) => {
    if (!isRecord(value)) return refuse("an object", value);
    const result: Record<string, unknown> = {};
    for (const [key, reader] of entries) {
      const own = Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
      const read = at(key, reader, own);
      if (read !== undefined) result[key] = read;
    }
    return result as Type;
  };
}

/** Reads a tagged union: the field `type` says which reader reads the object. */
export function tagged<Type extends { readonly type: string }>(
  readers: {
    readonly [Tag in Type["type"]]: Reader<Extract<Type, { type: Tag }>>;
  },
): Reader<Type> {
  const table = new Map(Object.entries<Reader<Type>>(readers as unknown as Record<string, Reader<Type>>));
  return (value) => {
    const tag =
      typeof value === "object" && value !== null && Object.hasOwn(value, "type")
        ? (value as { type: unknown }).type
        : refuse("an object with a type", value);
    const reader = typeof tag === "string" ? table.get(tag) : undefined;
    return reader
      ? reader(value)
      : at("type", () => refuse(`one of ${[...table.keys()].join(", ")}`, tag), tag);
  };
}

/** Reads an object of numbers whose keys are token ids, such as a logit bias; at most `most` entries. */
export function numbersById(most: number): Reader<Record<number, number>> {
  return (value) => {
    if (!isRecord(value)) return refuse("an object", value);
    const keys = Object.keys(value);
    if (keys.length > most)
      throw new PathError("", `has ${keys.length} entries, and at most ${most} are taken`);
    const result: Record<number, number> = {};
    for (const key of keys) {
      const id = Number(key);
      if (!/^\d{1,10}$/.test(key)) throw new PathError(key.slice(0, 40), "should be under a token id");
      result[id] = at(key, finite, (value as Record<string, unknown>)[key]);
    }
    return result;
  };
}
