/** Tool calls as mods write them, made into what OpenAI clients expect. */
import { isRecord } from "../../base/record.ts";
import type { ToolCall } from "../../sdk/request.ts";

/**
 * Reads one call or a list; each is `{ name, arguments }` or OpenAI's `{ id?, type?, function: { name, arguments } }`.
 * Arguments given as a value become JSON text. `fillId` gives an id to the n-th call if the call has none. Returns the calls, or the error.
 */
export function readModToolCalls(
  value: unknown,
  fillId: (call: number) => string,
): readonly ToolCall[] | string {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) return "toolCalls needs at least one call.";
  const calls: ToolCall[] = [];
  for (const [position, item] of list.entries()) {
    const call = isRecord(item) && isRecord(item.function) ? item.function : item;
    if (!isRecord(call) || typeof call.name !== "string" || call.name === "") {
      return `Tool call ${position + 1} has no name: give { name, arguments }.`;
    }
    const text = argumentsText(call.arguments);
    if (text === null)
      return `The arguments of tool call "${call.name}" are not JSON: give an object or JSON text.`;
    const id = isRecord(item) && typeof item.id === "string" && item.id !== "" ? item.id : fillId(position);
    calls.push({ id, type: "function", function: { name: call.name, arguments: text } });
  }
  return calls;
}

function argumentsText(value: unknown): string | null {
  if (value === undefined) return "{}";
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    // A cycle or a BigInt: the caller says so.
    return null;
  }
}
