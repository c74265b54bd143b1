/** LFM2: `<|tool_call_start|>[name(city="Oslo", days=3)]<|tool_call_end|>`, a Pythonic list of calls. */
import type { Expressions } from "../masks/automaton/expression.ts";
import { repeatWithSeparator } from "./call-object.ts";
import type { CallRules, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";
import { itemsOf, parseJson } from "./json-text.ts";
import { keywordArgumentsStrategy } from "./keyword-arguments.ts";
import { markedFormatLanguages, type ParsedCallsWithEnd, parseMarkedCalls } from "./marked.ts";
import { readPythonCalls } from "./python-calls.ts";
import { readCallObject } from "./read-call.ts";

const open = "<|tool_call_start|>";
const close = "<|tool_call_end|>";

/** LFM2 can be asked for JSON instead. */
function readJsonCalls(text: string): readonly ParsedCall[] | null {
  const value = text.trim();
  const calls = (itemsOf(value) ?? [value]).map(readCallObject);
  return calls.length > 0 && calls.every((call) => call !== null) ? (calls as ParsedCall[]) : null;
}

/**
 * Reads the calls between one pair of marks. Returns them with the index after the pair. The closing mark may be missing if its
 * token ended the answer.
 */
function readMarked(text: string, start: number): ParsedCallsWithEnd | null {
  const last = text.indexOf(close, start);
  const end = last < 0 ? text.length : last;
  const body = text.slice(start, end);
  const calls = readPythonCalls(body) ?? readJsonCalls(body);
  return calls && { calls, end: Math.min(end + close.length, text.length) };
}

function writeCall({ name, arguments: text }: ParsedCall): string {
  const members = Object.entries((parseJson(text) ?? {}) as Record<string, unknown>);
  return `${name}(${members.map(([key, value]) => `${key}=${writeValue(value)}`).join(", ")})`;
}

function writeValue(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(writeValue).join(", ")}]`;
  if (typeof value === "object") {
    const members = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${writeValue(each)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}

function calls({ tools, mostCalls }: CallRules, marker: WriteMarker) {
  const each = tools.map((tool) => ({ name: tool.function.name, values: keywordArgumentsStrategy(tool) }));
  return (expressions: Expressions) => {
    const call = expressions.union(
      ...each.map(({ name, values }) =>
        expressions.sequence(
          expressions.literal(`${name}(`),
          values.build(expressions),
          expressions.literal(")"),
        ),
      ),
    );
    return expressions.sequence(
      marker(expressions, open),
      expressions.literal("["),
      repeatWithSeparator(expressions, { item: call, separator: expressions.literal(", "), most: mostCalls }),
      expressions.literal("]"),
      marker(expressions, close),
    );
  };
}

export const lfm2Format: ToolFormat = {
  name: "lfm2",
  example: `${open}[name(argument=value)]${close}`,
  markers: [open, close],
  parse: (text) => parseMarkedCalls(text, open, readMarked),
  write: (list) => `${open}[${list.map(writeCall).join(", ")}]${close}`,
  ...markedFormatLanguages(open, calls),
};
