/**
 * Hermes and Qwen: `<tool_call>\n{"name": …, "arguments": {…}}\n</tool_call>`, each call on lines of its own. Granite 4 and
 * SmolLM3 write the same.
 */
import type { Expressions } from "../masks/automaton/expression.ts";
import { callObjectStrategy, repeatWithSeparator, writeCallObject } from "./call-object.ts";
import type { CallRules, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";
import { itemsOf, skipSpace, valueEnd } from "./json-text.ts";
import { markedFormatLanguages, type ParsedCallsWithEnd, parseMarkedCalls } from "./marked.ts";
import { readCallObject } from "./read-call.ts";

const open = "<tool_call>";
const close = "</tool_call>";

function calls(rules: CallRules, marker: WriteMarker) {
  const object = callObjectStrategy(rules.tools, "arguments");
  return (expressions: Expressions) =>
    repeatWithSeparator(expressions, {
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

/** Reads the calls between one pair of tags: an object or a list of objects. Returns them with the index after the pair. */
function readTagged(text: string, start: number): ParsedCallsWithEnd | null {
  const from = skipSpace(text, start);
  const end = valueEnd(text, from);
  if (end < 0) return null;
  const value = text.slice(from, end);
  const read = (itemsOf(value) ?? [value]).map(readCallObject);
  const after = skipSpace(text, end);
  // The last closing tag may be missing: its token may have ended the answer.
  if (!text.startsWith(close, after) && after < text.length) return null;
  return read.every((call) => call !== null)
    ? { calls: read as ParsedCall[], end: Math.min(after + close.length, text.length) }
    : null;
}

export const hermesFormat: ToolFormat = {
  name: "hermes",
  example: '<tool_call>\n{"name": "…", "arguments": {…}}\n</tool_call>',
  markers: [open, close],
  parse: (text) => parseMarkedCalls(text, open, readTagged),
  write: (list) => list.map((call) => `${open}\n${writeCallObject(call, "arguments")}\n${close}`).join("\n"),
  ...markedFormatLanguages(open, calls),
};
