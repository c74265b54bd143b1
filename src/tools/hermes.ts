/** Hermes and Qwen: `<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>`, several on lines of their own. Granite 4 and SmolLM3 too. */
import type { Expressions } from "../masks/expression.ts";
import { callObject, language, readCallObject, row, without, writeCallObject } from "./call-object.ts";
import type { CallRules, ParsedAnswer, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";
import { itemsOf, skipSpace, valueEnd } from "./json-text.ts";

const open = "<tool_call>";
const close = "</tool_call>";

function calls(rules: CallRules, marker: WriteMarker) {
  const object = callObject(rules.tools, "arguments");
  return (expressions: Expressions) =>
    row(expressions, {
      item: expressions.sequence(
        marker(expressions, open),
        expressions.literal("\n"),
        object.build(expressions),
        expressions.literal("\n"),
        marker(expressions, close),
      ),
      separator: expressions.literal("\n"),
      most: rules.mostCalls,
    });
}

/** The calls of one pair of tags: an object, or a list of them; and the index after it. */
function readTagged(text: string, start: number): { calls: readonly ParsedCall[]; end: number } | null {
  const from = skipSpace(text, start);
  const end = valueEnd(text, from);
  if (end < 0) return null;
  const value = text.slice(from, end);
  const read = (itemsOf(value) ?? [value]).map(readCallObject);
  const after = skipSpace(text, end);
  // The last tag is missing where its token ended the answer.
  if (!text.startsWith(close, after) && after < text.length) return null;
  return read.every((call) => call !== null)
    ? { calls: read as ParsedCall[], end: Math.min(after + close.length, text.length) }
    : null;
}

function parse(text: string): ParsedAnswer | null {
  const found: ParsedCall[] = [];
  let content = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    content += text.slice(at, start < 0 ? text.length : start);
    if (start < 0) break;
    const read = readTagged(text, start + open.length);
    if (!read) return null;
    found.push(...read.calls);
    at = read.end;
  }
  return found.length > 0 ? { content: content.trim() || null, calls: found } : null;
}

export const hermes: ToolFormat = {
  name: "hermes",
  example: '<tool_call>\n{"name": "…", "arguments": {…}}\n</tool_call>',
  markers: [open, close],
  parse,
  write: (list) => list.map((call) => `${open}\n${writeCallObject(call, "arguments")}\n${close}`).join("\n"),
  calls: (rules, marker) => language(calls(rules, marker)),
  textThenCalls(rules, marker) {
    const build = calls(rules, marker);
    return language((expressions) =>
      expressions.sequence(without(expressions, marker(expressions, open)), build(expressions)),
    );
  },
  text: (marker) => language((expressions) => without(expressions, marker(expressions, open))),
};
