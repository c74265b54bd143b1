/** Whether a value is valid for a handle that `normalizeSchema` gave, found from the schema and not from its normal form. */

import type { Json, SchemaHandle } from "../normal-form.ts";
import { Handle } from "../normalize/handle.ts";

export function isValid(value: Json, handle: SchemaHandle): boolean {
  if (!(handle instanceof Handle)) throw new TypeError(`The handle ${handle.key} is not of normalizeSchema.`);
  handle.table.effort.renew();
  return handle.table.isValid(value, handle);
}
