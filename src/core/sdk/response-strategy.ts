/** Turns a request's response format into the strategy that allows its answers. The engine enforces this strategy; questions check whether they fit it. */
import { anyJsonObject, jsonSchema } from "../masks/strategies/json-schema.ts";
import type { Strategy } from "../masks/strategy.ts";
import type { ResponseFormat } from "./request.ts";

/** Null if any text may be the answer. @throws StrategyError for a schema that cannot be enforced. */
export function responseStrategyOf(format: ResponseFormat): Strategy | null {
  switch (format.type) {
    case "text":
      return null;
    case "json_object":
      // If all white space were allowed, a small model might spend all its tokens on it.
      return anyJsonObject({ whiteSpace: "spaced" });
    case "json_schema":
      return jsonSchema(format.json_schema.schema, {
        whiteSpace: "spaced",
        order: format.json_schema.order ?? "required",
      });
  }
}
