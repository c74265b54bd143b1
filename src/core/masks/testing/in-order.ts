/** Values with their members in the order in which a schema lists them: jsonSchema() allows no other by default. */

import type { Json } from "../json-schema/normal-form.ts";
import { isArray, isObject, type JsonObject } from "../json-schema/read/json-value.ts";

/** The value with its members in the schema's order. All schemas that speak of a place count, in the order of their keywords; unlisted members stay last, as they are. */
export function orderMembersBySchema(root: Json, value: Json): Json {
  return ordered(root, [root], value);
}

function ordered(root: Json, schemas: readonly Json[], value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  const here = expanded(root, schemas);
  if (isArray(value)) return value.map((item, index) => ordered(root, ofItem(here, index), item));
  const members = value as JsonObject;
  const names = new Set([...listed(here), ...Object.keys(members)]);
  const present = [...names].filter((name) => Object.hasOwn(members, name));
  return asWritten(
    present.map((name) => [name, ordered(root, ofMember(here, name), members[name] as Json)] as const),
  );
}

/** JavaScript puts names that are numbers first, whatever the order: so be it, they are never listed ones in our cases. */
function asWritten(entries: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(entries);
}

function listed(schemas: readonly JsonObject[]): string[] {
  const declared = schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []));
  const required = schemas.flatMap(({ required: names }) => (isArray(names) ? (names as string[]) : []));
  const companions = schemas.flatMap(({ dependentRequired, dependencies }) =>
    [dependentRequired, dependencies].flatMap((needed) =>
      isObject(needed)
        ? Object.entries(needed).flatMap(([name, others]) => [
            name,
            ...(isArray(others) ? (others as string[]) : []),
          ])
        : [],
    ),
  );
  return [...declared, ...required, ...companions];
}

function ofItem(schemas: readonly JsonObject[], index: number): Json[] {
  return schemas.flatMap(({ prefixItems, items, additionalItems, contains }) => {
    const prefix = [prefixItems, items].find(isArray) ?? [];
    const rest = isArray(items) ? additionalItems : items;
    return [index < prefix.length ? prefix[index] : rest, contains].filter((one) => one !== undefined);
  });
}

function ofMember(schemas: readonly JsonObject[], name: string): Json[] {
  return schemas.flatMap(({ properties, patternProperties, additionalProperties }) => {
    const own = isObject(properties) && Object.hasOwn(properties, name) ? [properties[name] as Json] : [];
    const matching = isObject(patternProperties)
      ? Object.entries(patternProperties).flatMap(([pattern, schema]) =>
          new RegExp(pattern, "u").test(name) ? [schema] : [],
        )
      : [];
    const found = [...own, ...matching];
    return found.length > 0 || additionalProperties === undefined ? found : [additionalProperties];
  });
}

/** The schemas, and those that they apply in place. */
function expanded(root: Json, schemas: readonly Json[]): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (schema: Json | undefined): void => {
    if (!isObject(schema) || found.has(schema)) return;
    found.add(schema);
    if (typeof schema.$ref === "string") add(resolved(root, schema.$ref));
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const members = schema[keyword];
      if (isArray(members)) members.forEach(add);
    }
    ["if", "then", "else"].forEach((keyword) => {
      add(schema[keyword]);
    });
    for (const keyword of ["dependentSchemas", "dependencies"]) {
      const members = schema[keyword];
      if (isObject(members)) Object.values(members).forEach(add);
    }
  };
  schemas.forEach(add);
  return [...found];
}

function resolved(root: Json, reference: string): Json | undefined {
  const hash = reference.indexOf("#");
  const fragment = decodeURIComponent(hash < 0 ? "" : reference.slice(hash + 1));
  if (fragment !== "" && !fragment.startsWith("/")) return anchored(root, fragment);
  let found: Json | undefined = root;
  for (const part of fragment.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isObject(found)) found = found[key];
    else found = isArray(found) ? found[Number(key)] : undefined;
  }
  return found;
}

function anchored(schema: Json, name: string): Json | undefined {
  if (isArray(schema)) return schema.map((one) => anchored(one, name)).find((found) => found !== undefined);
  if (!isObject(schema)) return undefined;
  if (schema.$anchor === name || schema.$id === `#${name}`) return schema;
  return Object.values(schema)
    .map((one) => anchored(one, name))
    .find((found) => found !== undefined);
}
