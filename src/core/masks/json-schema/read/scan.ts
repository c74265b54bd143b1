/** Reads a whole schema document into nodes, in linear time and within limits, before anything else is made from it. */
import { showJson } from "../../../base/show.ts";
import { ConstraintLimitError, StrategyError } from "../../strategy-error.ts";
import type { Json } from "../normal-form.ts";
import { dialectOf, withoutUnreadKeywords } from "./dialect.ts";
import { isArray, isObject, type JsonObject } from "./json-value.ts";
import { pathBelow, readKeyword } from "./keywords.ts";
import { pointerStep, resolveUri, splitFragment } from "./resolve.ts";
import { SchemaNode } from "./schema-node.ts";

/** Limits for reading. */
const MOST_SUBSCHEMAS = 20_000;
const MOST_VALUES = 500_000;
const DEEPEST = 512;

/** A place in the document, with its value. */
export interface SchemaPlace {
  readonly value: Json;
  readonly path: string;
  readonly base: string;
}

/** The error for a schema that cannot be used, with the place. */
export function refusal(path: string, reason: string): StrategyError {
  return new StrategyError("jsonSchema", path, reason);
}

/** The nodes of a document, and its names for them. */
export class SchemaDocument {
  /** By URI without fragment: each `$id`, and "" or the root's own. */
  readonly resources = new Map<string, SchemaPlace>();
  /** By "URI#name". */
  readonly anchors = new Map<string, SchemaPlace>();
  /** For each name, how many `$dynamicAnchor` have it. */
  readonly dynamicAnchors = new Map<string, number>();
  readonly recursiveAnchors = new Set<string>();
  readonly root: SchemaNode;
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #draft: number;
  #count = 0;
  #values = 0;

  /** @throws StrategyError with the path of a value that is not a schema; ConstraintLimitError */
  constructor(schema: unknown) {
    this.#checkJson(schema, "#", 0);
    this.#draft = dialectOf(schema);
    const place = { value: schema, path: "#", base: "" };
    this.resources.set("", place);
    this.root = this.nodeAt(place);
  }

  /** The schema at a place; it is read at its first use. @throws StrategyError */
  nodeAt(place: SchemaPlace): SchemaNode {
    return this.#nodes.get(place.path) ?? this.#read(place, 0);
  }

  /** Makes a schema that is not in the document, in place of the schema at `path`. */
  synthetic(schema: JsonObject, path: string): SchemaNode {
    return this.#read({ value: schema, path, base: "" }, 0, false);
  }

  #read({ value, path, base }: SchemaPlace, depth: number, isNamed = true): SchemaNode {
    if (++this.#count > MOST_SUBSCHEMAS) {
      throw new ConstraintLimitError(`the JSON schema has more than ${MOST_SUBSCHEMAS} subschemas`, path);
    }
    if (typeof value !== "boolean" && !isObject(value)) {
      throw refusal(path, `a schema is an object, true or false, not ${showJson(value)}`);
    }
    const ownBase = typeof value === "boolean" ? base : this.#identify(value, path, base);
    const node = new SchemaNode(this.#count, path, ownBase);
    if (isNamed) this.#nodes.set(path, node);
    if (typeof value === "boolean") {
      node.always = value;
      return node;
    }
    const schema = withoutUnreadKeywords(value, this.#draft);
    for (const name of Object.keys(schema)) this.#readKeyword(node, schema, name, depth, isNamed);
    if (node.keywords === 0) node.always = true;
    return node;
  }

  #readKeyword(node: SchemaNode, schema: JsonObject, name: string, depth: number, isNamed: boolean): void {
    const value = schema[name] as Json;
    readKeyword({
      node,
      schema,
      name,
      value,
      child: (inner, ...steps) =>
        this.#read(
          { value: inner, path: pathBelow(node.path, name, steps), base: node.base },
          depth + 1,
          isNamed,
        ),
      wrong: (expected, ...steps) => {
        const found = steps.reduce<unknown>(
          (at, step) => (at as Record<string | number, unknown>)[step],
          value,
        );
        throw refusal(pathBelow(node.path, name, steps), `must be ${expected}, not ${showJson(found)}`);
      },
    });
  }

  /** Records `$id`, `$anchor` and their older forms. Returns the base URI for everything inside the schema. */
  #identify(schema: JsonObject, path: string, base: string): string {
    const idName = this.#draft < 6 ? "id" : "$id";
    const id = Object.hasOwn(schema, idName) ? schema[idName] : undefined;
    let own = base;
    if (typeof id === "string" && !(this.#draft < 2019 && Object.hasOwn(schema, "$ref"))) {
      const { uri, fragment } = splitFragment(id);
      if (uri !== "") {
        own = resolveUri(base, uri);
        this.resources.set(own, { value: schema, path, base: own });
      }
      if (fragment) this.anchors.set(`${own}#${fragment}`, { value: schema, path, base: own });
    }
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const name = Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
      if (typeof name !== "string") continue;
      this.anchors.set(`${own}#${name}`, { value: schema, path, base: own });
      if (keyword === "$dynamicAnchor") {
        this.dynamicAnchors.set(name, (this.dynamicAnchors.get(name) ?? 0) + 1);
      }
    }
    if (Object.hasOwn(schema, "$recursiveAnchor") && schema.$recursiveAnchor === true) {
      this.recursiveAnchors.add(own);
    }
    return own;
  }

  /**
   * Checks that the schema is JSON. A mod's own code may make the schema, so it may contain cycles, dates or functions, or
   * be too large.
   */
  #checkJson(value: unknown, path: string, depth: number): asserts value is Json {
    if (++this.#values > MOST_VALUES) {
      throw new ConstraintLimitError(`the JSON schema has more than ${MOST_VALUES} values`, "#");
    }
    if (depth > DEEPEST)
      throw new ConstraintLimitError(`the JSON schema is nested more than ${DEEPEST} levels deep`, "#");
    if (value === null || typeof value === "string" || typeof value === "boolean") return;
    if (typeof value === "number" && Number.isFinite(value)) return;
    if (isArray(value)) {
      for (const [index, item] of value.entries())
        this.#checkJson(item, path + pointerStep(index), depth + 1);
      return;
    }
    const plain = isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value));
    if (!plain) throw refusal(path, `a schema may contain only JSON values, not ${String(value)}`);
    for (const [name, member] of Object.entries(value)) {
      this.#checkJson(member, path + pointerStep(name), depth + 1);
    }
  }
}
