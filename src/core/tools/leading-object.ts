/** Families whose answer is a call if it begins with the JSON of a call: Llama 3, and models without a format of their own. */
import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import {
  callObjectStrategy,
  languageStrategy,
  optionalSpace,
  repeatWithSeparator,
  writeCallObject,
} from "./call-object.ts";
import type { CallRules, ParsedAnswer, ParsedCall, ToolFormat, WriteMarker } from "./format.ts";
import { itemsOf, skipSpace, valueEnd } from "./json-text.ts";
import { readPythonCalls } from "./python-calls.ts";
import { readCallObject } from "./read-call.ts";

interface Spelling {
  readonly name: ToolFormat["name"];
  readonly key: "arguments" | "parameters";
  /** The text between two calls. */
  readonly separator: string;
  /** A marker that may come before the calls. */
  readonly marker: string | null;
}

/** The language of `{"name":` with white space: an answer that begins with this is a call. */
function beginning(expressions: Expressions): Expression {
  const space = optionalSpace(expressions);
  return expressions.sequence(
    ...[space, "{", space, '"name"', space, ":"].map((part) =>
      typeof part === "string" ? expressions.literal(part) : part,
    ),
  );
}

/** Reads calls from `start` to the end of the text; null when something else is in between. */
function readCalls(text: string, start: number): readonly ParsedCall[] | null {
  const calls: ParsedCall[] = [];
  let at = skipSpace(text, start);
  while (at < text.length) {
    const end = valueEnd(text, at);
    if (end < 0) return null;
    const value = text.slice(at, end);
    for (const item of itemsOf(value) ?? [value]) {
      const call = readCallObject(item);
      if (!call) return null;
      calls.push(call);
    }
    at = skipSpace(text, end);
    if (text[at] === ";" || text[at] === ",") at = skipSpace(text, at + 1);
  }
  return calls.length > 0 ? calls : null;
}

/** `name.call(query="…")`, as Llama 3.1 calls its built-in tools. */
function readBuiltIn(text: string): readonly ParsedCall[] | null {
  const calls = readPythonCalls(`[${text}]`);
  return calls?.every(({ name }) => name.endsWith(".call"))
    ? calls.map((call) => ({ ...call, name: call.name.slice(0, -".call".length) }))
    : null;
}

/** Matches JSON in a Markdown code fence, which small models often write. */
const fence = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/;

function leadingObject({ name, key, separator, marker: lead }: Spelling): ToolFormat {
  const list = ({ tools, mostCalls }: CallRules, already = 0) => {
    const object = callObjectStrategy(tools, key);
    return (expressions: Expressions) =>
      repeatWithSeparator(expressions, {
        item: object.build(expressions),
        separator: expressions.literal(separator),
        most: Math.max(mostCalls - already, 1),
      });
  };
  const parse = (text: string): ParsedAnswer | null => {
    const at = lead === null ? -1 : text.indexOf(lead);
    const body = at < 0 ? (fence.exec(text)?.[1] ?? text) : text.slice(at + (lead ?? "").length);
    const calls = readCalls(body, 0) ?? (at < 0 ? null : readBuiltIn(body));
    return calls && { content: (at < 0 ? "" : text.slice(0, at).trim()) || null, calls };
  };
  /** The language of beginnings that a text without calls must not have. */
  const begun = (expressions: Expressions, marker: WriteMarker): Expression => {
    const { anything } = expressions;
    const object = expressions.sequence(beginning(expressions), anything);
    if (lead === null) return object;
    return expressions.union(object, expressions.sequence(anything, marker(expressions, lead), anything));
  };
  const text = (expressions: Expressions, marker: WriteMarker) =>
    expressions.complement(begun(expressions, marker));
  return {
    name,
    example: `{"name": "…", "${key}": {…}}`,
    markers: lead === null ? [] : [lead],
    parse,
    write: (calls) => calls.map((call) => writeCallObject(call, key)).join(separator),
    calls: (rules) => languageStrategy(list(rules)),
    textThenCalls(rules, marker) {
      const build = list(rules);
      const rest = list(rules, 1);
      const first = callObjectStrategy(rules.tools, key, { spaced: true });
      return languageStrategy((expressions) => {
        // The model may put any white space into its first call. Further calls must have exactly this white space.
        const separated = expressions.sequence(expressions.literal(separator), rest(expressions));
        const spaced = expressions.sequence(
          optionalSpace(expressions),
          first.build(expressions),
          rules.mostCalls > 1 ? expressions.optional(separated) : expressions.empty,
        );
        if (lead === null) return spaced;
        const led = expressions.sequence(
          text(expressions, marker),
          marker(expressions, lead),
          build(expressions),
        );
        return expressions.union(spaced, led);
      });
    },
    text: (marker) => languageStrategy((expressions) => text(expressions, marker)),
  };
}

/** Llama 3: `{"name": …, "parameters": {…}}`, several with `; ` between; `<|python_tag|>` may come first. */
export const llama3Format = leadingObject({
  name: "llama3",
  key: "parameters",
  separator: "; ",
  marker: "<|python_tag|>",
});

/** Models whose template does not mention tools: a JSON object for each call, one per line. */
export const plainFormat = leadingObject({ name: "plain", key: "arguments", separator: "\n", marker: null });
