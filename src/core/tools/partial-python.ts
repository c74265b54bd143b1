/** Calls as Python writes them, read from an answer that is still growing: each call's arguments as far as they have come. */
import type { PartialCall, PartialCallList } from "./format.ts";
import { PythonReader } from "./python-value.ts";

/** Reads the calls in a text such as `[name(city="Os`, up to the place where it is no list of calls any more. */
export function readPartialPythonCalls(text: string): PartialCallList {
  const reader = new PythonReader(text, 0);
  const calls: PartialCall[] = [];
  if (!reader.take("[")) return { calls, isOpen: true };
  while (!reader.take("]")) {
    if (calls.length > 0 && !reader.take(",")) return { calls, isOpen: false };
    const call = readPartialCall(reader);
    if (call) calls.push(call);
    if (!call?.isWhole) return { calls, isOpen: true };
  }
  return { calls, isOpen: false };
}

/** Reads one call; null if there is none, or while its name may still grow. */
function readPartialCall(reader: PythonReader): PartialCall | null {
  const name = reader.match(/[A-Za-z_][\w.-]{0,255}/y);
  if (name === null || !reader.take("(")) return null;
  let members = "{";
  while (!reader.take(")")) {
    const separator = members === "{" ? "" : ",";
    const cut = { name, arguments: members, isWhole: false };
    if (separator !== "" && !reader.take(",")) return cut;
    const key = reader.match(/[\p{L}_$][\p{L}\p{N}_$.-]*/uy);
    if (key === null || !reader.take("=")) return cut;
    const member = `${members}${separator}${JSON.stringify(key)}:`;
    const value = reader.value();
    if (value === null) return { ...cut, arguments: `${member}${reader.cutValue}` };
    if (reader.mayGoOn(value)) return { ...cut, arguments: member };
    members = member + value;
  }
  return { name, arguments: `${members}}`, isWhole: true };
}
