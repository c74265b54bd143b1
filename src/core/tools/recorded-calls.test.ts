/** An answer of every family is cut after every character, with its marks as text and without them. */
import { describe, expect, test } from "vitest";
import { cutCalls } from "./recorded-calls.ts";
import { families } from "./testing/families.ts";

const calls = [
  { name: "get_weather", arguments: '{"city":"Oslo \\"é","unit":"celsius"}' },
  { name: "set-lights", arguments: '{"on":true,"rooms":["hall","attic"],"where":{"level":7}}' },
];
const names = calls.map(({ name }) => name);

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
      const found = cutCalls(whole.slice(0, length), names);
      if (found.length === 0) continue;
      cuts += 1;
      expect(found.map(({ name }) => name)).toEqual(names.slice(0, found.length));
      expect(found.map(({ isWhole }) => isWhole)).toEqual(found.map((_, place) => place < found.length - 1));
      most = Math.max(most, found.length);
      for (const [place, { arguments: written, isWhole }] of found.entries()) {
        const meant = JSON.stringify(JSON.parse(calls[place]?.arguments ?? ""));
        if (isWhole) expect(JSON.stringify(JSON.parse(written))).toBe(meant);
        else expect(meant.replaceAll(/\s/g, "").startsWith(written.replaceAll(/\s/g, ""))).toBe(true);
      }
    }
    expect(most).toBe(2);
    expect(cuts).toBeGreaterThan(40);
    expect(cutCalls(whole, names)).toEqual([]);
  });
});

test.each([
  ["prose", "It rains in [Oslo] (see {city})."],
  ["a tool that was not offered", '<tool_call>\n{"name": "drop_table", "arguments": {"na'],
  ["code that calls a function", "Write [print(x"],
  ["an object that only looks like a call", '{"name": "Ada", "age": 3'],
])("%s is no cut call", (_what, text) => {
  expect(cutCalls(text, names)).toEqual([]);
});

test("a request without tools has no calls, and a very long text is not searched", () => {
  const begun = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "';
  expect(cutCalls(begun, [])).toEqual([]);
  expect(cutCalls(begun + "x".repeat(300_000), names)).toEqual([]);
  expect(cutCalls("[{".repeat(90_000), names)).toEqual([]);
});
