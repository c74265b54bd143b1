/** Finds misspelled keys of a tool call that an author wrote: without its arguments, the call would go out with none. */
import { describeUnknownKey, unknownKey } from "../base/known-keys.ts";
import { isRecord } from "../base/record.ts";

const shortForm = ["id", "type", "name", "arguments", "function"];
const longForm = ["id", "type", "function"];
const functionKeys = ["name", "arguments"];

/**
 * The sentence about the first unknown key; null if every key is known. `inner`: the call's field `function`, which the caller
 * has read, because a getter may answer differently the second time. `place`: the index of the call.
 */
export function toolCallKeyProblem(call: object, inner: unknown, place: number): string | null {
  const known = isRecord(inner) ? longForm : shortForm;
  const key = unknownKey(call, known);
  if (key !== undefined) return describeUnknownKey(`calls[${place}]`, key, known);
  const innerKey = isRecord(inner) ? unknownKey(inner, functionKeys) : undefined;
  return innerKey === undefined
    ? null
    : describeUnknownKey(`calls[${place}].function`, innerKey, functionKeys);
}
