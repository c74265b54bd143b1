/** The grammars of the Must-show table, for our engine and for the rivals. */
import type { Json } from "../../../src/core/masks/json-schema/normal-form.ts";
import { choices } from "../../../src/core/masks/strategies/choices.ts";
import { jsonSchema } from "../../../src/core/masks/strategies/json-schema.ts";
import { regex } from "../../../src/core/masks/strategies/regex.ts";
import type { Strategy } from "../../../src/core/masks/strategy.ts";
import type { OracleQuestion } from "../../../src/core/masks/testing/oracle.ts";

export interface HotGrammar {
  readonly name: string;
  /** A new strategy at each call: nothing of it is warm. */
  readonly strategy: () => Strategy;
  readonly asked: OracleQuestion;
  /** A walk takes a token with structure in it one time in four. */
  readonly structured: boolean;
}

const sixFields = (email: Json): Extract<Json, object> => ({
  type: "object",
  properties: {
    name: { type: "string" },
    age: { type: "integer", minimum: 0, maximum: 150 },
    email,
    role: { enum: ["admin", "editor", "viewer"] },
    active: { type: "boolean" },
    tags: { type: "array", items: { type: "string" } },
  },
  required: ["name", "age", "email", "role", "active", "tags"],
  additionalProperties: false,
});

const dishes = ["pie", "tart", "jam", "juice", "cake", "bread", "soup", "salad", "ice", "crumble"];
const fifty = ["apple", "banana", "cherry", "damson", "elder"].flatMap((fruit) =>
  dishes.map((dish) => `${fruit} ${dish}`),
);

const date = "\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])";
const prose = "[A-Z][a-z ,.]{20,200}\\.";

const byRegex = (name: string, source: string): HotGrammar => ({
  name,
  strategy: () => regex(source),
  asked: { kind: "regex", source },
  structured: false,
});
const bySchema = (name: string, schema: Extract<Json, object>): HotGrammar => ({
  name,
  strategy: () => jsonSchema(schema),
  asked: { kind: "jsonSchema", schema, whiteSpace: "compact" },
  structured: true,
});

export const hotGrammars: readonly HotGrammar[] = [
  bySchema("six-field JSON", sixFields({ type: "string", format: "email" })),
  byRegex("ISO date", date),
  {
    name: "50 choices",
    strategy: () => choices(fifty),
    asked: { kind: "regex", source: fifty.join("|") },
    structured: false,
  },
  byRegex("prose", prose),
];

/** As above, but what both rivals take: one of them refuses every format. */
export const rivalGrammars: readonly HotGrammar[] = hotGrammars.map((grammar) =>
  grammar.structured ? bySchema(grammar.name, sixFields({ type: "string", maxLength: 60 })) : grammar,
);
