/** The judge of all labels: ajv, in the dialect of the schema. */
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import draft06 from "ajv/dist/refs/json-schema-draft-06.json" with { type: "json" };
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import type { Json } from "../json-schema/normal-form.ts";
import type { Dialect } from "./cases.ts";

const options: Options = {
  strict: false,
  logger: false,
  // A property named toString is none of an empty object.
  ownProperties: true,
  // ajv divides: 0.3 / 0.1 is not 3.
  multipleOfPrecision: 9,
};

/** ajv reads the keywords beside a `$ref` unless it is told that the draft ignores them. */
const beforeDraft2019: Options = { ignoreKeywordsWithRef: true };

const makers: Record<Dialect, (options: Options) => Ajv> = {
  // ajv-draft-04 reads keywords that the draft does not have, as Ajv does in draft-06.
  "draft-04": (options) =>
    ["const", "contains", "propertyNames", "if"].reduce(
      (ajv, keyword) => ajv.removeKeyword(keyword),
      new AjvDraft04({ ...options, ...beforeDraft2019 }) as Ajv,
    ),
  "draft-06": (options) =>
    new Ajv({ ...options, ...beforeDraft2019 }).addMetaSchema(draft06).removeKeyword("if"),
  "draft-07": (options) => new Ajv({ ...options, ...beforeDraft2019 }),
  "2019-09": (options) => new Ajv2019(options),
  "2020-12": (options) => new Ajv2020(options),
};

function make(dialect: Dialect, changes: Options = {}): Ajv {
  const ajv = makers[dialect]({ ...options, ...changes });
  addFormats.default(ajv);
  return ajv;
}

/** For each dialect, the ajv that checks whether schemas are valid. It is made once, because compiling its metaschema takes longer than most schemas. */
const judges = new Map<Dialect, Ajv>();

function judgeOf(dialect: Dialect): Ajv {
  const judge = judges.get(dialect) ?? make(dialect);
  judges.set(dialect, judge);
  return judge;
}

/** The function that says whether a value is valid. A new ajv for each schema: two of the corpus may have one `$id`. @throws Error for a schema that is none. */
export function validatorOf(schema: Json, dialect: Dialect): ValidateFunction {
  const named = withoutNames(schema, dialect);
  judgeOf(dialect).validateSchema(named, true);
  return make(dialect, { validateSchema: false }).compile(named);
}

/** The dialect is given: a `$schema` that ajv does not know, and draft-04's `id` in a later dialect, are no reason to stop. */
function withoutNames(schema: Json, dialect: Dialect): object | boolean {
  if (typeof schema !== "object") return schema as boolean;
  const { $schema: _, ...rest } = schema as { readonly [key: string]: Json };
  if (dialect === "draft-04" || typeof rest.id !== "string") return rest;
  const { id: __, ...named } = rest;
  return named;
}
