/** Checks whether a request's tools and response format can be enforced, before a model is loaded. */
import { jsonSchema } from "../masks/strategies/json-schema.ts";
import { ConstraintLimitError, StrategyError } from "../masks/strategy-error.ts";
import { callObjectStrategy } from "./call-object.ts";
import { RequestFormatError, readRequestFormat } from "./request-format.ts";

/** A message about what is wrong with a request's format; null if the format is valid. */
export function requestFormatProblem(fields: Parameters<typeof readRequestFormat>[0]): string | null {
  try {
    const { tools, responseFormat } = readRequestFormat(fields);
    if (responseFormat?.type === "json_schema") jsonSchema(responseFormat.json_schema.schema);
    callObjectStrategy(tools, "arguments");
    return null;
  } catch (error) {
    if (error instanceof StrategyError) return [error.where, error.reason].filter(Boolean).join(": ");
    if (error instanceof RequestFormatError || error instanceof ConstraintLimitError) return error.message;
    throw error;
  }
}
