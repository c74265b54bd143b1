/** Cases of the strategy `jsonSchema`, for the conformance suite. */
import { jsonSchema } from "../json-schema.ts";
import type { StrategyCase } from "../strategy.conformance.ts";
import { stringCharacter } from "./text-strategy-cases.ts";

function isTree(text: string): boolean {
  let left = text;
  for (let before = ""; before !== left; ) {
    before = left;
    left = left.replace(/\{"value":-?(?:0|[1-9]\d*|[1-9]e\+\d+),"children":\[(?:T(?:,T)?)?\]\}/, "T");
  }
  return left === "T" && text !== "T";
}

const treeSchema = {
  $ref: "#/$defs/tree",
  $defs: {
    tree: {
      type: "object",
      properties: {
        value: { type: "integer" },
        children: { type: "array", items: { $ref: "#/$defs/tree" }, maxItems: 2 },
      },
      required: ["value", "children"],
      additionalProperties: false,
    },
  },
};

/** At most 15 digits that count, or a safe integer; no extreme power of ten. */
function isEveryday(value: number): boolean {
  const digits = /^-?0*\.?0*(\d+?)0*$/.exec(
    (String(value).split("e")[0] ?? "").replace(/(\d)\.(?=\d*[1-9])/, "$1"),
  );
  const size = Math.abs(value);
  const isShort = (digits?.[1] ?? "").length <= 15 || Number.isSafeInteger(value);
  return value === 0 || (isShort && size >= 1e-307 && size < 1e308);
}

/** Arrays of items that differ, each as JSON.stringify writes it, and no more than 15 digits of a number. */
function isUnique(isItem: (item: unknown) => boolean, min = 0, max = Number.POSITIVE_INFINITY) {
  return (text: string): boolean => {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return false;
    }
    if (!Array.isArray(value) || JSON.stringify(value) !== text) return false;
    if (value.length < min || value.length > max || !value.every(isItem)) return false;
    if (!value.every((item) => typeof item !== "number" || isEveryday(item))) return false;
    const isWellFormed = value.every((item) => typeof item !== "string" || !/\p{Surrogate}/u.test(item));
    return isWellFormed && new Set(value).size === value.length;
  };
}

export const jsonStrategyCases: readonly StrategyCase[] = [
  {
    name: "jsonSchema: an object",
    strategy: jsonSchema({
      type: "object",
      properties: {
        name: { type: "string", maxLength: 5 },
        age: { type: "integer", minimum: 0, maximum: 120 },
        kind: { enum: ["old", "new", null, 3] },
      },
      required: ["name", "age"],
      additionalProperties: false,
    }),
    // The optional property may stand at each of three places, once.
    oracle(text) {
      const kind = '"kind":(?:"old"|"new"|null|3)';
      const name = `"name":"(?:${stringCharacter.source}){0,5}"`;
      const age = '"age":(?:\\d|[1-9]\\d|1[01]\\d|120)';
      const ways = [
        [name, age],
        [kind, name, age],
        [name, kind, age],
        [name, age, kind],
      ];
      return new RegExp(`^\\{(?:${ways.map((way) => way.join(",")).join("|")})\\}$`, "u").test(text);
    },
    allowed: [
      '{"name":"Ann","age":3}',
      '{"name":"","age":120,"kind":null}',
      '{"name":"\\n🙂é","age":0,"kind":"old"}',
    ],
    rejected: [
      "{}",
      '{"name":"Ann"}',
      '{"age":3,"name":"Ann"}',
      '{"name":"Ann","age":121}',
      '{"name":"Annabel","age":3}',
    ],
  },
  {
    name: "jsonSchema: strings that differ",
    strategy: jsonSchema({ type: "array", items: { type: "string" }, uniqueItems: true, maxItems: 4 }),
    oracle: isUnique((item) => typeof item === "string", 0, 4),
    allowed: [
      "[]",
      '["a"]',
      '["a","b"]',
      '["","a","aa","aaa"]',
      '["\\n","é","🙂","\\u0001"]',
      '["]","[","\\"","\\\\"]',
    ],
    rejected: [
      '["a","a"]',
      '["a","b","a"]',
      '["","b",""]',
      '["é","\\u00e9"]',
      '["a","b","c","d","e"]',
      '["a",]',
    ],
  },
  {
    name: "jsonSchema: numbers that differ",
    strategy: jsonSchema({ type: "array", items: { type: "number" }, uniqueItems: true }),
    oracle: isUnique((item) => typeof item === "number"),
    allowed: ["[]", "[1,10,100,1.5,1.25]", "[0,-1,0.5,-0.5,5e-7,1.5e+21]", "[9007199254740991]"],
    rejected: [
      "[1,1]",
      "[1,1.0]",
      "[10,1e1]",
      "[0,-0]",
      "[1.5,2,1.5]",
      "[1.50]",
      "[0.1,0.10000000000000001]",
    ],
  },
  {
    name: "jsonSchema: items of several kinds that differ, at least two",
    strategy: jsonSchema({
      type: "array",
      items: { anyOf: [{ type: ["integer", "null"] }, { type: "string", maxLength: 2 }, { const: "long" }] },
      uniqueItems: true,
      minItems: 2,
    }),
    oracle: isUnique(
      (item) =>
        item === null ||
        Number.isInteger(item) ||
        (typeof item === "string" && ([...item].length <= 2 || item === "long")),
      2,
    ),
    allowed: ['[1,"1"]', '[null,"long","",0]', '["a","ab","b",12,1]'],
    rejected: ["[]", "[1]", "[1,1]", '["long","long"]', '["a",null,null]', '["abc",1]'],
  },
  {
    name: "jsonSchema: recursion",
    strategy: jsonSchema(treeSchema),
    oracle: isTree,
    allowed: [
      '{"value":1,"children":[]}',
      '{"value":-20,"children":[{"value":0,"children":[]},{"value":3,"children":[{"value":4,"children":[]}]}]}',
    ],
    rejected: [
      "{}",
      '{"value":1}',
      '{"value":1,"children":[1]}',
      '{"value":1.5,"children":[]}',
      '{"value":1,"children":[]',
    ],
  },
];
