/**
 * Schemas in shorthand, with values that fit and values that do not: for the part of the corpus where real schemas differ in
 * names and sizes rather than in shape. `{` name`!`:type … `}` is an object (`{|…|}` takes nothing else), `!` required,
 * `[type](1..5)` an array (`u` after it: all different), `<type>` a map, `@name` a definition, `type?` nullable; the words
 * are those of `words`.
 */
import type { Json } from "../json-schema/normal-form.ts";
import type { SchemaCase } from "./cases.ts";

export interface ShorthandBlock {
  readonly schema: Json;
  readonly good: readonly [Json, Json];
  /** The keyword that is broken, and the value. */
  readonly bad: readonly (readonly [breaks: string, value: Json])[];
}

type Members = Readonly<Record<string, Json>>;

const texts = [
  "Lorem ipsum",
  "value",
  "Zürich Süd",
  'a "quoted" word',
  "path/to/x",
  "two\nlines",
  "42",
  "naïve café ☕",
  "C:\\temp",
  "",
];

/** Reads a shorthand text. `definitions` are blocks that stand in `$defs` under their names. */
export function parseShorthand(
  text: string,
  definitions: Readonly<Record<string, ShorthandBlock>> = {},
): ShorthandBlock {
  const tokens = text.match(/\{\||\|\}|[{}[\]<>?!:@]|\([^)]*\)|[^\s{}[\]<>?!:@()|]+/g) ?? [];
  let at = 0;
  let count = 0;
  const next = () => tokens[at++];
  const taken = (token: string) => {
    const found = tokens[at] === token;
    if (found) at++;
    return found;
  };
  const argument = () => (tokens[at]?.startsWith("(") ? (next() as string).slice(1, -1) : "");

  function type(): ShorthandBlock {
    const made = base();
    return taken("?") ? nullable(made) : made;
  }

  function base(): ShorthandBlock {
    const token = next();
    if (token === "{" || token === "{|") return object(token === "{|");
    if (token === "[") return list();
    if (token === "<") return map();
    if (token === "@") return reference(next() ?? "");
    const word = words[token ?? ""];
    if (!word) throw new Error(`"${token}" is no word of the shorthand (in "${text.slice(0, 60)}").`);
    return word(argument(), count++);
  }

  function object(closed: boolean): ShorthandBlock {
    const members: [name: string, block: ShorthandBlock, required: boolean][] = [];
    while (!taken(closed ? "|}" : "}")) {
      const name = next();
      const required = taken("!");
      if (name === undefined || !taken(":"))
        throw new Error(`After "${name}" a colon is missing in "${text}".`);
      members.push([name, type(), required]);
    }
    return objectBlock(members, closed);
  }

  function list(): ShorthandBlock {
    const items = type();
    if (!taken("]")) throw new Error(`A bracket is not closed in "${text}".`);
    const [least, most] = range(argument());
    const unique = taken("u");
    return arrayBlock(items, least, most, unique);
  }

  function map(): ShorthandBlock {
    const values = type();
    if (!taken(">")) throw new Error(`A map is not closed in "${text}".`);
    const bad = values.bad.map(([breaks, value]) => [breaks, { key: value }] as const);
    return {
      schema: { type: "object", additionalProperties: values.schema },
      good: [{ "first-key": values.good[0], second_key: values.good[1] }, {}],
      bad: [...bad, ["type", []]],
    };
  }

  function reference(name: string): ShorthandBlock {
    const found = definitions[name];
    if (!found) throw new Error(`There is no definition "${name}".`);
    return { ...found, schema: { $ref: `#/$defs/${name}` } };
  }

  const made = type();
  if (at < tokens.length) throw new Error(`"${tokens[at]}" is too much in "${text}".`);
  return made;
}

function objectBlock(
  members: readonly (readonly [name: string, block: ShorthandBlock, required: boolean])[],
  closed: boolean,
): ShorthandBlock {
  const full: Members = Object.fromEntries(members.map(([name, { good }]) => [name, good[0]]));
  const least = Object.fromEntries(
    members.flatMap(([name, { good }, required]) => (required ? [[name, good[1]]] : [])),
  );
  const required = members.flatMap(([name, , isRequired]) => (isRequired ? [name] : []));
  const bad = members.flatMap(([name, block]) =>
    block.bad.map(([breaks, value]) => [breaks, { ...full, [name]: value }] as const),
  );
  const without = (name: string) => Object.fromEntries(Object.entries(full).filter(([key]) => key !== name));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(members.map(([name, { schema }]) => [name, schema])),
      ...(required.length > 0 ? { required } : {}),
      ...(closed ? { additionalProperties: false } : {}),
    },
    good: [full, least],
    bad: [
      ...required.slice(-1).map((name) => ["required", without(name)] as const),
      ...(closed ? [["additionalProperties", { ...full, unlisted: 1 }] as const] : []),
      ...bad,
    ],
  };
}

function arrayBlock(
  items: ShorthandBlock,
  least: number | undefined,
  most: number | undefined,
  unique: boolean,
): ShorthandBlock {
  const [first, second] = items.good;
  const two = JSON.stringify(first) === JSON.stringify(second) ? [first] : [first, second];
  const long = Math.max(least ?? 0, 1);
  const bad: [string, Json][] = items.bad.map(([breaks, value]) => [breaks, [value]]);
  if (least !== undefined && least > 0) bad.unshift(["minItems", []]);
  if (most !== undefined && !unique) bad.unshift(["maxItems", Array.from({ length: most + 1 }, () => first)]);
  if (unique) bad.unshift(["uniqueItems", [first, first]]);
  const repeated = Array.from({ length: long }, (_, index) => two[index % two.length] as Json);
  const longEnough = two.length >= long ? two : repeated;
  return {
    schema: {
      type: "array",
      items: items.schema,
      ...(least === undefined ? {} : { minItems: least }),
      ...(most === undefined ? {} : { maxItems: most }),
      ...(unique ? { uniqueItems: true } : {}),
    },
    good: [
      unique || two.length > (most ?? 2) ? two.slice(0, long) : longEnough,
      repeated.slice(0, least ?? 0),
    ],
    bad: [...bad, ["type", {}]],
  };
}

function nullable({ schema, good, bad }: ShorthandBlock): ShorthandBlock {
  const { type, enum: _, ...rest } = schema as Members;
  const simple = typeof type === "string" && _ === undefined;
  return {
    schema: simple ? { type: [type, "null"], ...rest } : { anyOf: [schema, { type: "null" }] },
    good: [good[0], null],
    bad,
  };
}

function range(text: string): [number | undefined, number | undefined] {
  const [least = "", most = ""] = text.split("..");
  return [least === "" ? undefined : Number(least), most === "" ? undefined : Number(most)];
}

const words: Readonly<Record<string, (argument: string, count: number) => ShorthandBlock>> = {
  str: (description, count) => ({
    schema: { type: "string", ...(description === "" ? {} : { description }) },
    good: [texts[count % texts.length] as string, texts[(count + 3) % texts.length] as string],
    bad: [["type", count]],
  }),
  text(bounds, count) {
    const [minLength = 0, maxLength = 100] = range(bounds);
    const filled = `${texts[count % 5]}${"x".repeat(minLength)}`.slice(0, maxLength);
    return {
      schema: { type: "string", ...(minLength > 0 ? { minLength } : {}), maxLength },
      good: [filled, "y".repeat(minLength)],
      bad: [["maxLength", "z".repeat(maxLength + 1)], ...(minLength > 0 ? [["minLength", ""] as const] : [])],
    };
  },
  int(bounds, count) {
    const [minimum, maximum] = range(bounds);
    return {
      schema: {
        type: "integer",
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
      },
      good: [Math.min((minimum ?? 0) + count * 7, maximum ?? 1e9), maximum ?? minimum ?? -count],
      bad: [
        ...(maximum === undefined ? [] : [["maximum", maximum + 1] as const]),
        ...(minimum === undefined ? [] : [["minimum", minimum - 1] as const]),
        ["type", 0.5],
      ],
    };
  },
  num(bounds, count) {
    const [minimum, maximum] = range(bounds);
    return {
      schema: {
        type: "number",
        ...(minimum === undefined ? {} : { minimum }),
        ...(maximum === undefined ? {} : { maximum }),
      },
      good: [Math.min((minimum ?? -3) + 0.25 + count, maximum ?? 1e9), minimum ?? maximum ?? 1e-5],
      bad: [...(maximum === undefined ? [] : [["maximum", maximum + 0.5] as const]), ["type", "1"]],
    };
  },
  bool: () => ({ schema: { type: "boolean" }, good: [true, false], bad: [["type", "true"]] }),
  any: (_, count) => ({ schema: {}, good: [{ a: [count, null] }, "any"], bad: [] }),
  object: (_, count) => ({
    schema: { type: "object" },
    good: [{ [`k${count}`]: true }, {}],
    bad: [["type", "{}"]],
  }),
  enum(values) {
    const listed = values.split("|");
    return {
      schema: { type: "string", enum: listed },
      good: [listed[0] as string, listed.at(-1) as string],
      bad: [["enum", `${listed[0]}x`]],
    };
  },
  const: (value) => ({ schema: { const: value }, good: [value, value], bad: [["const", `not ${value}`]] }),
  date: () => format("date", ["2026-11-21", "2000-02-29"], "2026-02-30"),
  datetime: () => format("date-time", ["2026-11-21T14:00:00Z", "2026-11-21T14:00:00.5+01:00"], "2026-11-21"),
  time: () => format("time", ["14:00:00Z", "23:59:59+02:00"], "25:00:00Z"),
  email: () => format("email", ["max@example.com", "a.b+c@d-e.org"], "max.example.com"),
  uri: () => format("uri", ["https://example.com/a?b=c#d", "mailto:x@y.zz"], "no uri"),
  uuid: () =>
    format("uuid", ["9b2c0b1e-6f0a-4c58-9d53-2f6f7a1f3c11", "00000000-0000-0000-0000-000000000000"], "9b2c"),
  ipv4: () => format("ipv4", ["192.168.0.1", "8.8.8.8"], "192.168.0"),
  hostname: () => format("hostname", ["db-1.internal.example", "localhost"], "no host!"),
  /** Digits as a text. */
  digits(bounds) {
    const [least = 1, most = least] = range(bounds);
    const pattern = `^[0-9]{${least}${most === least ? "" : `,${most}`}}$`;
    return patterned(pattern, ["1".repeat(least), "9".repeat(most)], "12a");
  },
  code: (prefix) =>
    patterned(`^${prefix}-[A-Z0-9]{4,10}$`, [`${prefix}-A1B2`, `${prefix}-0000000000`], `${prefix}_1`),
  name: () => patterned("^[a-z][a-z0-9-]*$", ["alpha-1", "b"], "1 b"),
  hex: (length) =>
    patterned(`^[0-9a-f]{${length}}$`, ["0f".repeat(Number(length) / 2), "a".repeat(Number(length))], "xyz"),
};

function format(name: string, good: readonly [string, string], bad: string): ShorthandBlock {
  return { schema: { type: "string", format: name }, good, bad: [["format", bad]] };
}

function patterned(pattern: string, good: readonly [string, string], bad: string): ShorthandBlock {
  return { schema: { type: "string", pattern }, good, bad: [["pattern", bad]] };
}

const mostInvalid = 6;

/** A case of a block: both its good values, and bad ones that break different keywords first. */
export function caseOf(
  name: string,
  { schema, good, bad }: ShorthandBlock,
  more: Readonly<Record<string, Json>> = {},
): SchemaCase {
  const seen = new Set<string>();
  const first = bad.filter(([breaks]) => !seen.has(breaks) && seen.add(breaks));
  const chosen = [...first, ...bad.filter((one) => !first.includes(one))].slice(0, mostInvalid);
  return {
    name: `generated/${name}`,
    dialect: "2020-12",
    schema: { ...(schema as Record<string, Json>), ...more },
    valid: good,
    invalid: [...chosen.map(([breaks, value]) => ({ breaks, value })), { breaks: "type", value: 5 }],
  };
}
