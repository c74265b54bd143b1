/** Whether parsed JSON is valid against a schema, without making the language of its texts. */
import { EffortMeter } from "./effort.ts";
import type { Json } from "./normal-form.ts";
import { isValidFor } from "./read/evaluate.ts";
import { linkSchema } from "./read/link.ts";
import { SchemaDocument } from "./read/scan.ts";

/** @throws ConstraintLimitError for a value that takes too much work. */
export type SchemaValidator = (value: unknown) => boolean;

/** `schema`: parsed JSON. @throws StrategyError with the path of an error in the schema; ConstraintLimitError if it is too large */
export function createSchemaValidator(schema: unknown): SchemaValidator {
  const document = new SchemaDocument(schema);
  linkSchema(document, document.root);
  return (value) => isValidFor(document.root, value as Json, new EffortMeter());
}
