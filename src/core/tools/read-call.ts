/** Reads a call as a JSON object with a name and arguments, which most families write. */
import type { ParsedCall } from "./format.ts";
import { membersOf, parseJson } from "./json-text.ts";

/** Longest name that is read. OpenAI's functions have up to 64 characters. */
export const LONGEST_NAME = 256;

/** Names that families give to a call's arguments. */
export const argumentKeys: readonly string[] = ["arguments", "parameters"];

/** Reads `{"name": …, "arguments" or "parameters": {…}}`, or OpenAI's `{"function": {…}}` around it; null when it is no call. */
export function readCallObject(text: string): ParsedCall | null {
  const outer = membersOf(text);
  const inner = outer?.get("function") ?? "";
  const members = inner.startsWith("{") ? membersOf(inner) : outer;
  if (!members) return null;
  const name = parseJson(members.get("name") ?? "");
  if (typeof name !== "string" || name === "" || name.length > LONGEST_NAME) return null;
  const key = argumentKeys.find((each) => members.has(each));
  const read = readArguments(key === undefined ? "{}" : (members.get(key) ?? ""));
  return read === null ? null : { name, arguments: read };
}

/** JSON text of an object, or such a text inside a JSON string; `null` is no arguments. */
function readArguments(text: string): string | null {
  const value = parseJson(text);
  if (value === null) return "{}";
  if (typeof value === "string") return membersOf(value) ? value.trim() : null;
  return membersOf(text) ? text : null;
}
