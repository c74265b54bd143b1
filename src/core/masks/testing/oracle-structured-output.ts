/** @huggingface/transformers-structured-output 4.3.0 as an oracle: a TypeScript engine that refuses what it cannot enforce. */
import { StructuredOutputProcessor } from "@huggingface/transformers-structured-output";
import type { Json } from "../json-schema/normal-form.ts";
import type { TokenBytes } from "../vocabulary/token-texts.ts";
import type { Oracle, OracleMatcher, OracleQuestion } from "./oracle.ts";

/** Its engine, which the package does not export: what the one logits processor of a StructuredOutputProcessor holds. */
interface TokenConstraint {
  readonly vocabSize: number;
  fillMask(target: Uint32Array): boolean;
  commit(token: number): boolean;
}

export function structuredOutputOracle(tokenizer: TokenBytes): Oracle {
  const [eosTokenId] = tokenizer.eosTokenIds;
  if (eosTokenId === undefined) throw new Error("The tokenizer has no end of sequence.");
  const tokens = Array.from({ length: tokenizer.vocabSize }, (_, token) => tokenizer.tokenBytes(token));
  // Without bytes it would take a token for one that may stand anywhere.
  const specialTokenIds = tokens.flatMap((bytes, token) => (bytes.length === 0 ? [token] : []));
  const source = { tokens, eosTokenId, specialTokenIds: [...specialTokenIds, ...tokenizer.eosTokenIds] };
  StructuredOutputProcessor.warmup(source);
  return {
    name: "structured-output",
    async compile(asked) {
      const format = formatOf(asked);
      constraintOf(new StructuredOutputProcessor(source, format));
      return async () => matcherOf(constraintOf(new StructuredOutputProcessor(source, format)));
    },
  };
}

function matcherOf(constraint: TokenConstraint): OracleMatcher {
  const mask = new Uint32Array(Math.ceil(constraint.vocabSize / 32));
  return {
    async mask() {
      constraint.fillMask(mask);
      return mask;
    },
    accept(token) {
      try {
        constraint.commit(token);
        return true;
      } catch {
        return false;
      }
    },
    dispose() {},
  };
}

type Format = ConstructorParameters<typeof StructuredOutputProcessor>[1];
type SchemaFormat = Extract<Format, { type: "json_schema" }>;

function formatOf(asked: OracleQuestion): Format {
  if (asked.kind === "regex") return { type: "regex", regex: asked.source };
  const schema = withoutAnnotations(asked.schema);
  const compact = { item_separator: ",", key_separator: ":", whitespace_flexible: false };
  const guided =
    asked.whiteSpace === "compact"
      ? { ...(schema === true ? {} : (schema as Members)), "x-guidance": compact }
      : schema;
  return { type: "json_schema", json_schema: guided as SchemaFormat["json_schema"] };
}

function constraintOf(processor: StructuredOutputProcessor): TokenConstraint {
  const [held] = processor.processors as unknown as { state: { constraint: TokenConstraint } }[];
  if (!held) throw new Error("The processor holds no constraint: is this version 4.3.0?");
  return held.state.constraint;
}

type Members = { readonly [key: string]: Json };

const known = new Set(
  `$schema $id $ref $defs definitions $anchor title description default examples $comment deprecated readOnly writeOnly
  type enum const properties required additionalProperties patternProperties propertyNames minProperties maxProperties
  items prefixItems additionalItems contains minContains maxContains minItems maxItems uniqueItems
  minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
  allOf anyOf oneOf not if then else dependentRequired dependentSchemas dependencies
  unevaluatedProperties unevaluatedItems`.split(/\s+/),
);
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const values = new Set(["enum", "const", "default", "examples", "required", "dependentRequired", "type"]);

/** It refuses keywords that it does not know, which the standard has ignored: they are taken out. */
function withoutAnnotations(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([keyword]) => known.has(keyword));
  return Object.fromEntries(
    kept.map(([keyword, value]): [string, Json] => {
      if (values.has(keyword)) return [keyword, value];
      if (!maps.has(keyword)) return [keyword, withoutAnnotations(value)];
      const members = Object.entries(value as Members);
      return [keyword, Object.fromEntries(members.map(([name, one]) => [name, withoutAnnotations(one)]))];
    }),
  );
}
