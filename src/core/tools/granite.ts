/** Granite 3: `<|tool_call|>[{"name": …, "arguments": {…}}, …]`; earlier versions write `<tool_call>` before the list. */
import type { Expressions } from "../masks/automaton/expression.ts";
import { callObjectStrategy, repeatWithSeparator, writeCallObject } from "./call-object.ts";
import type { CallRules, ParsedAnswer, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";
import { itemsOf, skipSpace, valueEnd } from "./json-text.ts";
import { markedFormatLanguages, type ParsedCallsWithEnd } from "./marked.ts";
import { readCallObject } from "./read-call.ts";

const opens = ["<|tool_call|>", "<tool_call>"];
const closes = ["<|/tool_call|>", "</tool_call>"];

function readList(text: string, start: number): ParsedCallsWithEnd | null {
  const from = skipSpace(text, start);
  const end = valueEnd(text, from);
  const items = end < 0 ? null : itemsOf(text.slice(from, end));
  const calls = items?.map(readCallObject) ?? [];
  if (calls.length === 0 || calls.some((call) => call === null)) return null;
  const after = skipSpace(text, end);
  const close = closes.find((each) => text.startsWith(each, after)) ?? "";
  return { calls: calls as ParsedCall[], end: close === "" ? end : after + close.length };
}

function parse(text: string): ParsedAnswer | null {
  const open = opens.find((each) => text.includes(each));
  if (open === undefined) return null;
  const start = text.indexOf(open);
  const read = readList(text, start + open.length);
  if (!read || opens.some((each) => text.includes(each, read.end))) return null;
  const content = `${text.slice(0, start)}${text.slice(read.end)}`.trim();
  return { content: content || null, calls: read.calls };
}

/** `open`: the marker that this model's template names. */
export function createGraniteFormat(open: string): ToolFormat {
  const calls = ({ tools, mostCalls }: CallRules, marker: WriteMarker) => {
    const object = callObjectStrategy(tools, "arguments");
    return (expressions: Expressions) =>
      expressions.sequence(
        marker(expressions, open),
        expressions.literal("["),
        repeatWithSeparator(expressions, {
          item: object.build(expressions),
          separator: expressions.literal(", "),
          most: mostCalls,
        }),
        expressions.literal("]"),
      );
  };
  return {
    name: "granite",
    example: `${open}[{"name": "…", "arguments": {…}}]`,
    markers: [...opens, ...closes],
    parse,
    write: (list) => `${open}[${list.map((call) => writeCallObject(call, "arguments")).join(", ")}]`,
    ...markedFormatLanguages(open, calls),
  };
}
