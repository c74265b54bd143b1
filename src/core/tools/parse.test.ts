import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ParsedAnswer, ToolFormat } from "./format.ts";
import { createGraniteFormat } from "./granite.ts";
import { hermesFormat } from "./hermes.ts";
import { llama3Format, plainFormat } from "./leading-object.ts";
import { lfm2Format } from "./lfm2.ts";

const graniteThree = createGraniteFormat("<|tool_call|>");
const formats: Readonly<Record<ToolFormat["name"], ToolFormat>> = {
  hermes: hermesFormat,
  llama3: llama3Format,
  lfm2: lfm2Format,
  granite: graniteThree,
  plain: plainFormat,
};

const rain = { name: "rain", arguments: '{"place": "Oslo"}' };
const call = (name: string, text: string) => ({ name, arguments: text });
const answer = (content: string | null, ...calls: ParsedAnswer["calls"]): ParsedAnswer => ({
  content,
  calls,
});

const cases: [format: ToolFormat["name"], what: string, text: string, expected: ParsedAnswer | null][] = [
  [
    "hermes",
    "one call",
    '<tool_call>\n{"name": "rain", "arguments": {"place": "Oslo"}}\n</tool_call>',
    answer(null, rain),
  ],
  [
    "hermes",
    "several",
    '<tool_call>\n{"name": "rain", "arguments": {"place": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    answer(null, rain, call("f", "{}")),
  ],
  [
    "hermes",
    "text before",
    'I look.\n<tool_call>{"name":"f"}</tool_call>',
    answer("I look.", call("f", "{}")),
  ],
  [
    "hermes",
    "any white space",
    '<tool_call> \r\n\t{ "arguments" : {"place": "Oslo"} , "name" : "rain" }</tool_call>  ',
    answer(null, rain),
  ],
  [
    "hermes",
    "a last tag that ended the answer",
    '<tool_call>\n{"name": "f", "arguments": {}}\n',
    answer(null, call("f", "{}")),
  ],
  [
    "hermes",
    "a tag inside an argument",
    '<tool_call>{"name":"f","arguments":{"a":"</tool_call>"}}</tool_call>',
    answer(null, call("f", '{"a":"</tool_call>"}')),
  ],
  [
    "hermes",
    "arguments as JSON text",
    '<tool_call>{"name":"f","arguments":"{\\"a\\":1}"}</tool_call>',
    answer(null, call("f", '{"a":1}')),
  ],
  [
    "hermes",
    "large numbers keep their digits",
    '<tool_call>{"name":"f","arguments":{"a":12345678901234567890}}</tool_call>',
    answer(null, call("f", '{"a":12345678901234567890}')),
  ],
  [
    "hermes",
    "of equal keys the last",
    '<tool_call>{"name":"a","name":"b","arguments":{"x":1},"arguments":{"x":2}}</tool_call>',
    answer(null, call("b", '{"x":2}')),
  ],
  [
    "hermes",
    "a list of calls",
    '<tool_call>[{"name":"a"},{"name":"b"}]</tool_call>',
    answer(null, call("a", "{}"), call("b", "{}")),
  ],
  ["hermes", "no call", "It rains in Oslo.", null],
  ["hermes", "cut in the arguments", '<tool_call>\n{"name": "rain", "arguments": {"place": "Os', null],
  ["hermes", "cut after the marker", "<tool_call>", null],
  ["hermes", "a whole call and a cut one", '<tool_call>{"name":"a"}</tool_call><tool_call>{"name":', null],
  ["hermes", "no name", '<tool_call>{"arguments":{}}</tool_call>', null],
  ["hermes", "an empty name", '<tool_call>{"name":"","arguments":{}}</tool_call>', null],
  ["hermes", "a name that is no text", '<tool_call>{"name":5}</tool_call>', null],
  ["hermes", "arguments that are a list", '<tool_call>{"name":"f","arguments":[1]}</tool_call>', null],
  ["hermes", "arguments that are text", '<tool_call>{"name":"f","arguments":"Oslo"}</tool_call>', null],
  ["hermes", "Python in place of JSON", "<tool_call>{'name': 'f'}</tool_call>", null],
  ["hermes", "something after the object", '<tool_call>{"name":"f"} and more</tool_call>', null],
  ["hermes", "the end marker alone", "</tool_call>", null],

  ["llama3", "one call", '{"name": "rain", "parameters": {"place": "Oslo"}}', answer(null, rain)],
  [
    "llama3",
    "after the python tag",
    '<|python_tag|>{"name": "rain", "parameters": {"place": "Oslo"}}',
    answer(null, rain),
  ],
  [
    "llama3",
    "several",
    '{"name": "rain", "parameters": {"place": "Oslo"}}; {"name": "f", "parameters": {}}',
    answer(null, rain, call("f", "{}")),
  ],
  [
    "llama3",
    "text before the python tag",
    'Wait.<|python_tag|>{"name": "f"}',
    answer("Wait.", call("f", "{}")),
  ],
  [
    "llama3",
    "the type that OpenAI writes",
    '{"type": "function", "name": "rain", "parameters": {"place": "Oslo"}}',
    answer(null, rain),
  ],
  [
    "llama3",
    "a function around it",
    '{"type":"function","function":{"name":"f","parameters":{"a":1}}}',
    answer(null, call("f", '{"a":1}')),
  ],
  [
    "llama3",
    "arguments instead of parameters",
    '{"name": "rain", "arguments": {"place": "Oslo"}}',
    answer(null, rain),
  ],
  [
    "llama3",
    "a built-in tool",
    '<|python_tag|>search.call(query="rain in Oslo")',
    answer(null, call("search", '{"query":"rain in Oslo"}')),
  ],
  ["llama3", "Python code", "<|python_tag|>print(1)", null],
  ["llama3", "other JSON", '{"title": "rain"}', null],
  ["llama3", "text after it", '{"name": "f", "parameters": {}} is what I call', null],
  ["llama3", "text before it", 'I call {"name": "f", "parameters": {}}', null],
  ["llama3", "cut", '{"name": "rain", "parameters": {"pl', null],
  ["llama3", "nothing", "", null],

  [
    "lfm2",
    "one call",
    '<|tool_call_start|>[rain(place="Oslo")]<|tool_call_end|>',
    answer(null, call("rain", '{"place":"Oslo"}')),
  ],
  [
    "lfm2",
    "several, and text after",
    "<|tool_call_start|>[rain(place='Oslo', days=3), f()]<|tool_call_end|>Let me see.",
    answer("Let me see.", call("rain", '{"place":"Oslo","days":3}'), call("f", "{}")),
  ],
  [
    "lfm2",
    "every kind of value",
    `<|tool_call_start|>[f(a=True, b=False, c=None, d=-1.5e3, e=[1, "x",], g={"k": (1, 2), 'l': {}}, h=true, i=null)]<|tool_call_end|>`,
    answer(
      null,
      call(
        "f",
        '{"a":true,"b":false,"c":null,"d":-1.5e3,"e":[1,"x"],"g":{"k":[1,2],"l":{}},"h":true,"i":null}',
      ),
    ),
  ],
  [
    "lfm2",
    "escapes",
    `<|tool_call_start|>[f(a='it\\'s \\u00e9\\n"x"\\q')]<|tool_call_end|>`,
    answer(null, call("f", '{"a":"it\'s é\\n\\"x\\"\\\\q"}')),
  ],
  [
    "lfm2",
    "numbers of Python",
    "<|tool_call_start|>[f(a=+1, b=.5, c=2., d=007)]<|tool_call_end|>",
    answer(null, call("f", '{"a":1,"b":0.5,"c":2,"d":7}')),
  ],
  [
    "lfm2",
    "white space",
    '<|tool_call_start|> [ f ( a = 1 , b = "x" ) ] <|tool_call_end|>',
    answer(null, call("f", '{"a":1,"b":"x"}')),
  ],
  [
    "lfm2",
    "brackets in a text",
    '<|tool_call_start|>[f(a=")]")]<|tool_call_end|>',
    answer(null, call("f", '{"a":")]"}')),
  ],
  [
    "lfm2",
    "JSON, as it can be asked for",
    '<|tool_call_start|>[{"name": "rain", "arguments": {"place": "Oslo"}}]<|tool_call_end|>',
    answer(null, rain),
  ],
  [
    "lfm2",
    "a hostile key",
    "<|tool_call_start|>[f(__proto__=1)]<|tool_call_end|>",
    answer(null, call("f", '{"__proto__":1}')),
  ],
  ["lfm2", "an end marker that ended the answer", "<|tool_call_start|>[f()]", answer(null, call("f", "{}"))],
  ["lfm2", "positional arguments", '<|tool_call_start|>[rain("Oslo")]<|tool_call_end|>', null],
  ["lfm2", "an expression", "<|tool_call_start|>[f(a=1+1)]<|tool_call_end|>", null],
  ["lfm2", "a name as value", "<|tool_call_start|>[f(a=constructor)]<|tool_call_end|>", null],
  ["lfm2", "an empty list", "<|tool_call_start|>[]<|tool_call_end|>", null],
  ["lfm2", "cut", '<|tool_call_start|>[rain(place="Os', null],
  ["lfm2", "an infinite number", "<|tool_call_start|>[f(a=+1e999)]<|tool_call_end|>", null],
  ["lfm2", "without markers", '[rain(place="Oslo")]', null],

  [
    "granite",
    "one call",
    '<|tool_call|>[{"name": "rain", "arguments": {"place": "Oslo"}}]',
    answer(null, rain),
  ],
  [
    "granite",
    "several, arguments first",
    '<|tool_call|>[{"arguments": {"place": "Oslo"}, "name": "rain"}, {"name": "f"}]',
    answer(null, rain, call("f", "{}")),
  ],
  [
    "granite",
    "the older marker",
    '<tool_call>[{"name": "rain", "arguments": {"place": "Oslo"}}]',
    answer(null, rain),
  ],
  [
    "granite",
    "text before, white space",
    'Yes. <|tool_call|> \n[ {"name": "f"} ]\n',
    answer("Yes.", call("f", "{}")),
  ],
  ["granite", "an end marker", '<|tool_call|>[{"name": "f"}]<|/tool_call|>', answer(null, call("f", "{}"))],
  ["granite", "an empty list", "<|tool_call|>[]", null],
  ["granite", "an object without a list", '<|tool_call|>{"name": "f"}', null],
  ["granite", "cut", '<|tool_call|>[{"name": "f"}, {"na', null],
  ["granite", "no marker", '[{"name": "f"}]', null],

  ["plain", "one call", '{"name": "rain", "arguments": {"place": "Oslo"}}', answer(null, rain)],
  [
    "plain",
    "one on each line",
    '{"name": "rain", "arguments": {"place": "Oslo"}}\n{"name":"f","arguments":{}}',
    answer(null, rain, call("f", "{}")),
  ],
  ["plain", "a list", '[{"name": "f"}, {"name": "g"}]', answer(null, call("f", "{}"), call("g", "{}"))],
  [
    "plain",
    "in a fence",
    '```json\n{"name": "f", "arguments": {"a": 1}}\n```',
    answer(null, call("f", '{"a": 1}')),
  ],
  ["plain", "other JSON", '{"name": 5}', null],
  ["plain", "text", "It rains.", null],
];

test("each format has cases", () => {
  expect(new Set(cases.map(([format]) => format))).toEqual(new Set(Object.keys(formats)));
});

test.each(cases)("%s: %s", (format, _what, text, expected) => {
  expect(formats[format].parse(text)).toEqual(expected);
});

describe.each(Object.values(formats))("$name", (format) => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie("any"), { maxKeys: 3 }),
    ),
  })).any;
  const call = fc.record({
    name: fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/),
    arguments: fc.dictionary(fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/), value, { maxKeys: 4 }),
  });

  test("what it writes it reads", () => {
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
        const written = format.write(
          calls.map((each) => ({ ...each, arguments: JSON.stringify(each.arguments) })),
        );
        const read = format.parse(written);
        expect(read?.content).toBe(null);
        expect(read?.calls.map((each) => ({ ...each, arguments: JSON.parse(each.arguments) }))).toEqual(
          JSON.parse(JSON.stringify(calls)),
        );
      }),
      { numRuns: 100 },
    );
  });

  test("hostile text is text, or calls with a name and an object", () => {
    const pieces = fc.constantFrom(
      ...format.markers,
      ..."{}[]()<>\"'\\,:;=|/ \n".split(""),
      '{"name": "f", ',
      '"arguments": {',
      "f(a=",
      "[f(",
      "```json\n",
      "\\u12",
      "name",
      "é🙂",
      "\ud800",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 40 }), (parts) => {
        const read = format.parse(parts.join(""));
        for (const each of read?.calls ?? []) {
          expect(each.name).not.toBe("");
          expect(typeof JSON.parse(each.arguments)).toBe("object");
        }
      }),
      { numRuns: 500 },
    );
  });

  test("each part of a written answer is text, calls, or the same calls", () => {
    const whole = format.write([
      { name: "rain", arguments: '{"place":"Os\\"lo","days":[1,{"a":null}]}' },
      { name: "f", arguments: "{}" },
    ]);
    for (let length = 0; length <= whole.length; length++) {
      const read = format.parse(whole.slice(0, length));
      for (const each of read?.calls ?? []) expect(["rain", "f"]).toContain(each.name);
    }
  });

  test.each([
    ["deep lists", "[".repeat(200_000)],
    ["deep objects", '{"a":'.repeat(200_000)],
    ["deep functions", '{"function":'.repeat(50_000)],
    ["many markers", format.markers.join("").repeat(50_000)],
    ["a long text", "x".repeat(2_000_000)],
    ["backslashes", `"${"\\".repeat(1_000_000)}`],
    ["white space", " ".repeat(1_000_000)],
  ])("%s end", (_what, text) => {
    for (const start of ["", ...format.markers]) {
      expect(format.parse(start + text)?.calls ?? []).toEqual([]);
    }
  });
});
