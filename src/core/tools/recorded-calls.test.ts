/** An answer of every family is cut after every character, with its marks as text and without them. */
import { describe, expect, test } from "vitest";
import { readCutCalls } from "./recorded-calls.ts";
import { families } from "./testing/families.ts";

const calls = [
  { name: "get_weather", arguments: '{"city":"Oslo \\"é","unit":"celsius"}' },
  { name: "set-lights", arguments: '{"on":true,"rooms":["hall","attic"],"where":{"level":7}}' },
];
const names = calls.map(({ name }) => name);
const offered = { names, unnamed: "either" } as const;

describe.each(families)("$format.name", ({ format, renamed }) => {
  const leads = format.name === "llama3" || format.name === "plain";
  const before = leads ? "" : "I look, [1] < 2 (see [the list]).\n";
  const marks = [...format.markers, ...Object.values(renamed)];
  const withoutMarks = (text: string) => marks.reduce((left, mark) => left.replaceAll(mark, ""), text);

  test.each([
    ["marks that are text", before + format.write(calls)],
    ["marks without text", before + withoutMarks(format.write(calls))],
  ])("%s", (_what, whole) => {
    let most = 0;
    let cuts = 0;
    for (let length = 0; length < whole.length; length++) {
      const found = readCutCalls(whole.slice(0, length), offered);
      const cut = found.at(-1);
      if (!cut) continue;
      cuts += 1;
      const named = cut.name === "" ? found.slice(0, -1) : found;
      expect(named.map(({ name }) => name)).toEqual(names.slice(0, named.length));
      expect(found.map(({ isWhole }) => isWhole)).toEqual(found.map((_, place) => place < found.length - 1));
      most = Math.max(most, found.length);
      if (cut.name === "") expect(whole.slice(0, length).endsWith(cut.arguments)).toBe(true);
      for (const [place, { arguments: written, isWhole }] of named.entries()) {
        const meant = JSON.stringify(JSON.parse(calls[place]?.arguments ?? ""));
        if (isWhole) expect(JSON.stringify(JSON.parse(written))).toBe(meant);
        else expect(meant.replaceAll(/\s/g, "").startsWith(written.replaceAll(/\s/g, ""))).toBe(true);
      }
    }
    expect(most).toBe(2);
    expect(cuts).toBeGreaterThan(40);
    expect(readCutCalls(whole, offered)).toEqual([]);
  });

  test.each([
    ["marks that are text", format.write(calls)],
    ["marks without text", withoutMarks(format.write(calls)).trim()],
  ])("%s: a call is a call before its name is complete", (_what, whole) => {
    const firstName = whole.indexOf("get_weather");
    const secondName = whole.indexOf("set-lights");
    for (let length = 1; length < firstName + "get_weather".length; length++) {
      const text = whole.slice(0, length);
      expect([text, readCutCalls(text, { names, unnamed: "call" })]).toEqual([
        text,
        [{ name: "", arguments: expect.any(String), isWhole: false }],
      ]);
    }
    for (let length = firstName + 3; length < firstName + "get_weather".length; length++)
      expect(readCutCalls(before + whole.slice(0, length), offered)).toHaveLength(1);
    for (let length = secondName + 1; length < secondName + "set-lights".length; length++)
      expect(readCutCalls(before + whole.slice(0, length), offered).map(({ name }) => name)).toEqual([
        "get_weather",
        "",
      ]);
  });
});

test.each([
  ["prose", "It rains in [Oslo] (see {city})."],
  ["a tool that was not offered", '<tool_call>\n{"name": "drop_table", "arguments": {"na'],
  ["code that calls a function", "Write [print(x"],
  ["an object that only looks like a call", '{"name": "Ada", "age": 3'],
])("%s is no cut call", (_what, text) => {
  expect(readCutCalls(text, offered)).toEqual([]);
});

test.each([
  ["a bracket", "as in [2] and ["],
  ["a brace", "{"],
  ["a short name", "see [se"],
  ["the name of another tool", '{"name": "drop_ta'],
  ["less than", "if 2 <"],
])("%s at the end of a text begins no call", (_what, text) => {
  expect(readCutCalls(text, offered)).toEqual([]);
});

test("JSON of a response format begins no call", () => {
  expect(readCutCalls('{"name": "get_we', { names, unnamed: "text" })).toEqual([]);
});

test("a request without tools has no calls, and a very long text is not searched", () => {
  const partial = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "';
  expect(readCutCalls(partial, { names: [], unnamed: "either" })).toEqual([]);
  expect(readCutCalls(partial + "x".repeat(300_000), offered)).toEqual([]);
  expect(readCutCalls("[{".repeat(90_000), offered)).toEqual([]);
});
