/** The few very large schemas of the corpus. */
import type { Json } from "../json-schema/normal-form.ts";
import type { SchemaCase } from "./cases.ts";
import { caseOf, parseShorthand, type ShorthandBlock } from "./shorthand.ts";

const wordTypes = [
  "str",
  "int(0..1000)",
  "bool",
  "num",
  "enum(low|mid|high)",
  "date",
  "[str]",
  "str?",
  "email",
  "text(1..80)",
];
const typeOf = (index: number) => wordTypes[index % wordTypes.length] as string;

export function hugeCases(): SchemaCase[] {
  return [
    wideObject("form-120-fields", 120, true),
    wideObject("settings-260-options", 260, false),
    bigEnum("country-like-500-codes", 500),
    bigEnum("icon-names-1500", 1500),
    manyVariants("event-union-60", 60),
    definitionChain("sixty-definitions", 60),
    deepNesting("nested-25-levels", 25),
    longTexts(),
    manyPatterns("metrics-by-30-patterns", 30),
    longTuple("record-of-40-columns", 40),
    manyConditions("questionnaire-20-conditions", 20),
    wideRequired("flags-80-required-booleans", 80),
  ];
}

function wideObject(name: string, count: number, closed: boolean): SchemaCase {
  const fields = Array.from(
    { length: count },
    (_, index) => `field_${index}${index % 9 === 0 ? "!" : ""}:${typeOf(index)}`,
  );
  return caseOf(name, parseShorthand(closed ? `{| ${fields.join(" ")} |}` : `{ ${fields.join(" ")} }`));
}

function wideRequired(name: string, count: number): SchemaCase {
  const fields = Array.from({ length: count }, (_, index) => `is_feature_${index}_on!:bool`);
  return caseOf(name, parseShorthand(`{| ${fields.join(" ")} |}`));
}

/** Words without a pattern to them, the same in every run. */
function codes(count: number): string[] {
  const syllables = ["ka", "lo", "mi", "ne", "ru", "sa", "te", "vo", "xi", "zu", "bra", "cho", "dri"];
  return Array.from({ length: count }, (_, index) => {
    const [a, b, c] = [index % 13, Math.floor(index / 13) % 13, (index * 7 + 3) % 13];
    return `${syllables[a]}${syllables[b]}-${syllables[c]}${index % 3 === 0 ? index : ""}`;
  }).map((word, index, all) => (all.indexOf(word) === index ? word : `${word}.${index}`));
}

function bigEnum(name: string, count: number): SchemaCase {
  const words = codes(count);
  const [first = "", last = ""] = [words[7], words.at(-1)];
  return caseOf(name, {
    schema: {
      type: "object",
      properties: {
        code: { enum: words },
        others: { type: "array", items: { type: "string", enum: words } },
      },
      required: ["code"],
    },
    good: [{ code: first, others: [last, first] }, { code: last }],
    bad: [
      ["enum", { code: `${first}?` }],
      ["enum", { code: first, others: [""] }],
      ["required", {}],
    ],
  });
}

function manyVariants(name: string, count: number): SchemaCase {
  const member = (index: number): ShorthandBlock =>
    parseShorthand(
      `{| type!:const(event_${index}) ${["a", "b", "c"].map((key, k) => `${key}_${index}${k === 0 ? "!" : ""}:${typeOf(index + k * 3)}`).join(" ")} |}`,
    );
  const members = Array.from({ length: count }, (_, index) => member(index));
  const [one, other] = [member(11), member(count - 1)];
  return caseOf(name, {
    schema: { oneOf: members.map(({ schema }) => schema) },
    good: [one.good[0], other.good[0]],
    bad: [...one.bad, ...other.bad],
  });
}

/** Each definition has two properties of the next ones, as generated code has. */
function definitionChain(name: string, count: number): SchemaCase {
  const $defs: Record<string, Json> = {};
  for (let index = 0; index < count; index++) {
    const properties: Record<string, Json> = { id: { type: "integer", minimum: index } };
    if (index + 1 < count) properties.child = { $ref: `#/$defs/D${index + 1}` };
    if (index + 7 < count) properties.shortcut = { $ref: `#/$defs/D${index + 7}` };
    $defs[`D${index}`] = {
      type: "object",
      properties,
      required: ["id"],
    };
  }
  const chain = (from: number, to: number): Json =>
    from === to ? { id: from } : { id: from, child: chain(from + 1, to) };
  return caseOf(
    name,
    {
      schema: { type: "object", properties: { root: { $ref: "#/$defs/D0" } }, required: ["root"] },
      good: [{ root: chain(0, 20) }, { root: { id: 5, shortcut: { id: 9, shortcut: { id: 14 } } } }],
      bad: [
        ["minimum", { root: { id: 0, child: { id: 0 } } }],
        ["required", { root: { id: 0, shortcut: {} } }],
        ["type", { root: { id: 0, child: [] } }],
      ],
    },
    { $defs },
  );
}

function deepNesting(name: string, depth: number): SchemaCase {
  let schema: Json = { type: "array", items: { type: "integer" }, maxItems: 4 };
  let good: Json = [1, 2, 3];
  let bad: Json = [1, "2"];
  let long: Json = [1, 2, 3, 4, 5];
  for (let level = depth; level > 0; level--) {
    const key = `level${level}`;
    schema = { type: "object", properties: { [key]: schema }, required: [key], additionalProperties: false };
    [good, bad, long] = [{ [key]: good }, { [key]: bad }, { [key]: long }];
  }
  const empty = JSON.parse(JSON.stringify(good).replace("[1,2,3]", "[]"));
  return caseOf(name, {
    schema,
    good: [good, empty],
    bad: [
      ["type", bad],
      ["maxItems", long],
      ["required", {}],
      ["additionalProperties", { level1: {}, x: 1 }],
    ],
  });
}

function longTexts(): SchemaCase {
  const sentence = 'He said: "It\'s 5\u00a0°C outside"\n';
  return caseOf("documents-of-10000-characters", {
    schema: {
      type: "object",
      properties: {
        abstract: { type: "string", minLength: 100, maxLength: 2500 },
        body: { type: "string", minLength: 1, maxLength: 10000 },
        footnotes: { type: "array", items: { type: "string", maxLength: 4000 }, maxItems: 200 },
      },
      required: ["abstract", "body"],
    },
    good: [
      { abstract: sentence.repeat(5), body: sentence.repeat(20), footnotes: ["one", "two"] },
      { abstract: "x".repeat(2500), body: "y" },
    ],
    bad: [
      ["minLength", { abstract: "short", body: "y" }],
      ["maxLength", { abstract: "x".repeat(2501), body: "y" }],
      ["required", { abstract: "x".repeat(100) }],
    ],
  });
}

function manyPatterns(name: string, count: number): SchemaCase {
  const kinds: readonly Json[] = [{ type: "number", minimum: 5 }, { type: "string" }, { type: "boolean" }];
  const patternProperties: Record<string, Json> = {};
  for (let index = 0; index < count; index++) patternProperties[`^m${index}[._]`] = kinds[index % 3] ?? true;
  return caseOf(name, {
    schema: { type: "object", patternProperties, additionalProperties: false },
    good: [{ m0_a: 7.5, "m4.b": "x", m29_c: true, m27_: 5 }, {}],
    bad: [
      ["additionalProperties", { m30_a: 1 }],
      ["minimum", { m27_x: 4 }],
      ["type", { m29_c: "true" }],
    ],
  });
}

function longTuple(name: string, count: number): SchemaCase {
  const blocks = Array.from({ length: count }, (_, index) => parseShorthand(typeOf(index)));
  const row = blocks.map(({ good }) => good[0]);
  return caseOf(name, {
    schema: { type: "array", prefixItems: blocks.map(({ schema }) => schema), items: false, minItems: count },
    good: [row, blocks.map(({ good }) => good[1])],
    bad: [
      ["minItems", row.slice(1)],
      ["items", [...row, 1]],
      ...blocks
        .slice(0, 5)
        .flatMap(({ bad }, index) => bad.map(([breaks, value]) => [breaks, row.with(index, value)] as const)),
    ],
  });
}

function manyConditions(name: string, count: number): SchemaCase {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const properties = Object.fromEntries(
    numbers.flatMap((index) => [
      [`q${index}`, { enum: ["yes", "no"] }],
      [`detail${index}`, { type: "string", minLength: 3 }],
    ]),
  );
  return caseOf(name, {
    schema: {
      type: "object",
      properties,
      required: ["q0"],
      allOf: numbers.map((index) => ({
        if: { properties: { [`q${index}`]: { const: "yes" } }, required: [`q${index}`] },
        // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
        then: { required: [`detail${index}`] },
      })),
    },
    good: [{ q0: "yes", detail0: "because", q1: "no", q7: "yes", detail7: "seven" }, { q0: "no" }],
    bad: [
      ["then", { q0: "yes" }],
      ["minLength", { q0: "no", detail3: "x" }],
      ["enum", { q0: "maybe" }],
    ],
  });
}
