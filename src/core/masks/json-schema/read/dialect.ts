/** The drafts of JSON Schema: which keywords each has. */
import { isObject, type JsonObject } from "./json-value.ts";

const LATEST = 2020;

/** The first draft that has a keyword, for keywords that draft-04 lacks. */
const firstDraft: ReadonlyMap<string, number> = new Map(
  Object.entries({
    const: 6,
    contains: 6,
    propertyNames: 6,
    if: 7,
    minContains: 2019,
    maxContains: 2019,
    dependentRequired: 2019,
    dependentSchemas: 2019,
    unevaluatedItems: 2019,
    unevaluatedProperties: 2019,
    $recursiveRef: 2019,
    prefixItems: LATEST,
    $dynamicRef: LATEST,
  }),
);

/** Keywords beside a `$ref` that are read before 2019-09, because references may lead to them. */
const besideReference = ["$ref", "$defs", "definitions"];

/** The draft that `$schema` declares, as its number or year; 2020 if there is no `$schema` or its value is unknown. */
export function dialectOf(schema: unknown): number {
  const uri = isObject(schema) && typeof schema.$schema === "string" ? schema.$schema : "";
  const [, draft = LATEST] = /draft(?:-0|\/)([3-7]|2019)/.exec(uri) ?? [];
  return Number(draft);
}

/** The schema without the keywords that the draft does not have, or does not read beside a `$ref`. */
export function withoutUnreadKeywords(schema: JsonObject, draft: number): JsonObject {
  if (draft === LATEST) return schema;
  const isReference = draft < 2019 && Object.hasOwn(schema, "$ref");
  const isRead = (name: string) =>
    isReference ? besideReference.includes(name) : (firstDraft.get(name) ?? 0) <= draft;
  return Object.fromEntries(Object.entries(schema).filter(([name]) => isRead(name)));
}
