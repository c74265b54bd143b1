/** A request's response format as a strategy: which answers it allows. One place for the engine, which keeps the answer to it, and for questions that look whether they fit. */
import { anyJsonObject, jsonSchema } from "../masks/strategies/json-schema.ts";
import type { Strategy } from "../masks/strategy.ts";
import type { ResponseFormat } from "./request.ts";

/** Null if any text may be the answer. @throws StrategyError for a schema that cannot be enforced. */
export function responseStrategyOf(format: ResponseFormat): Strategy | null {
  switch (format.type) {
    case "text":
      return null;
    case "json_object":
      // Where white space is free, a small model may spend all its tokens on it.
      return anyJsonObject({ whiteSpace: "spaced" });
    case "json_schema":
      return jsonSchema(format.json_schema.schema, {
        whiteSpace: "spaced",
        order: format.json_schema.order ?? "required",
      });
  }
}
