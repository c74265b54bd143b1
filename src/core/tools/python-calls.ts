/** Calls as Python writes them: `[name(city="Oslo", days=3), other()]`. */
import type { ParsedCall } from "./format.ts";
import { skipSpace } from "./json-text.ts";
import { PythonReader } from "./python-value.ts";

/** Reads a list of calls with keyword arguments; null for any other text. */
export function readPythonCalls(text: string): readonly ParsedCall[] | null {
  const reader = new PythonReader(text, 0);
  const calls: ParsedCall[] = [];
  if (!reader.take("[")) return null;
  while (!reader.take("]")) {
    if (calls.length > 0 && !reader.take(",")) return null;
    const call = readCall(reader);
    if (!call) return null;
    calls.push(call);
  }
  return skipSpace(text, reader.at) === text.length && calls.length > 0 ? calls : null;
}

function readCall(reader: PythonReader): ParsedCall | null {
  // Function names in OpenAI's API may have hyphens, which Python does not allow.
  const name = reader.match(/[A-Za-z_][\w.-]{0,255}/y);
  if (name === null || !reader.take("(")) return null;
  const members = new Map<string, string>();
  while (!reader.take(")")) {
    if (members.size > 0 && !reader.take(",")) return null;
    const key = reader.match(/[\p{L}_$][\p{L}\p{N}_$.-]*/uy);
    if (key === null || !reader.take("=")) return null;
    const value = reader.value();
    if (value === null) return null;
    members.set(key, value);
  }
  const list = [...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return { name, arguments: `{${list.join(",")}}` };
}
