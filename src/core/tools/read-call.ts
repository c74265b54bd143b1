/** Reads a call that is a JSON object with a name and arguments, as most families write it. */
import type { ParsedCall } from "./format.ts";
import { membersOf, parseJson } from "./json-text.ts";

/** The longest name that is read. Function names in OpenAI's API have up to 64 characters. */
export const maximumCallNameLength = 256;

/** Names that families give to a call's arguments. */
export const argumentKeys: readonly string[] = ["arguments", "parameters"];

/** Reads `{"name": …, "arguments" or "parameters": {…}}`, or OpenAI's `{"function": {…}}` around it; null for any other text. */
export function readCallObject(text: string): ParsedCall | null {
  const outer = membersOf(text);
  const inner = outer?.get("function") ?? "";
  const members = inner.startsWith("{") ? membersOf(inner) : outer;
  if (!members) return null;
  const name = parseJson(members.get("name") ?? "");
  if (typeof name !== "string" || name === "" || name.length > maximumCallNameLength) return null;
  const key = argumentKeys.find((each) => members.has(each));
  const read = readArguments(key === undefined ? "{}" : (members.get(key) ?? ""));
  return read === null ? null : { name, arguments: read };
}

/** Reads the JSON text of an object, also from inside a JSON string. `null` means no arguments. */
function readArguments(text: string): string | null {
  const value = parseJson(text);
  if (value === null) return "{}";
  if (typeof value === "string") return membersOf(value) ? value.trim() : null;
  return membersOf(text) ? text : null;
}
