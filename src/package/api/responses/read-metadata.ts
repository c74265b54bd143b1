/** Reads `metadata` of a response request. The response repeats it. */
import { isRecord } from "../../../core/base/record.ts";
import type { BodyFields } from "../body-fields.ts";

/** OpenAI's limits. */
const mostPairs = 16;
const longestKey = 64;
const longestValue = 512;

/** @throws ApiError, 400 */
export function readMetadata(body: BodyFields): { [key: string]: string } {
  const value = body.take("metadata");
  if (value === undefined) return {};
  const cure = `give at most ${mostPairs} strings of up to ${longestValue} characters, with keys of up to ${longestKey} characters`;
  if (!isRecord(value) || Object.keys(value).length > mostPairs) throw body.refusal("metadata", value, cure);
  for (const [key, text] of Object.entries(value)) {
    const isRight = typeof text === "string" && text.length <= longestValue && key.length <= longestKey;
    if (!isRight) throw body.refusal("metadata", { [key]: text }, cure);
  }
  return { ...(value as Record<string, string>) };
}
