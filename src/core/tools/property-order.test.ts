/** A request may set the order of properties: in its response format, and in the arguments of its tools. */
import { describe, expect, test } from "vitest";
import { formalLanguageOf } from "../masks/testing/walks.ts";
import type { PropertyOrder, ToolDefinition } from "../sdk/request.ts";
import { responseStrategyOf } from "../sdk/response-strategy.ts";
import { callObjectStrategy } from "./call-object.ts";
import { hermesFormat } from "./hermes.ts";
import { keywordArgumentsStrategy } from "./keyword-arguments.ts";
import { offerTools } from "./offer-tools.ts";
import { readRequestFormat } from "./request-format.ts";

const schema = {
  type: "object",
  properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } },
  required: ["b"],
  additionalProperties: false,
};
const tool = (order?: PropertyOrder): ToolDefinition => ({
  type: "function",
  function: { name: "look", parameters: schema, ...(order && { order }) },
});

/** Names in the order in which they are written, and the orders that allow it. */
const rows: readonly (readonly [string, Readonly<Record<PropertyOrder, boolean>>])[] = [
  ["abc", { required: true, schema: true, any: true }],
  ["cba", { required: true, schema: false, any: true }],
  ["b", { required: true, schema: true, any: true }],
  ["ca", { required: false, schema: false, any: false }],
  ["bb", { required: false, schema: false, any: false }],
  ["aba", { required: false, schema: false, any: false }],
];

const json = (names: string) =>
  `{${[...names].map((name) => `"${name}": ${"abc".indexOf(name) + 1}`).join(", ")}}`;
const python = (names: string) => [...names].map((name) => `${name}=${"abc".indexOf(name) + 1}`).join(", ");

describe.each([undefined, "required", "schema", "any"] as const)("order %s", (order) => {
  test.each(rows)("%s", (names, orders) => {
    const isAllowed = orders[order ?? "required"];
    const format = { type: "json_schema", json_schema: { name: "x", schema, ...(order && { order }) } };
    const { responseFormat } = readRequestFormat({ responseFormat: format });
    const answer = responseFormat && responseStrategyOf(responseFormat);
    expect(answer && formalLanguageOf(answer.build).accepts(json(names))).toBe(isAllowed);
    const [read] = readRequestFormat({ tools: [tool(order)] }).tools;
    if (!read) throw new Error("The tool is gone.");
    const call = `{"name": "look", "arguments": ${json(names)}}`;
    expect(formalLanguageOf(callObjectStrategy([read], "arguments").build).accepts(call)).toBe(isAllowed);
    expect(formalLanguageOf(keywordArgumentsStrategy(read).build).accepts(python(names))).toBe(isAllowed);
  });
});

test("keyword arguments that are all required, and none at all", () => {
  const required = { ...schema, required: ["a", "b", "c"] };
  const all = keywordArgumentsStrategy({
    type: "function",
    function: { name: "look", parameters: required },
  });
  expect(
    ["abc", "ab", "bac", ""].filter((names) => formalLanguageOf(all.build).accepts(python(names))),
  ).toEqual(["abc"]);
  const none = keywordArgumentsStrategy({ type: "function", function: { name: "look" } });
  expect(formalLanguageOf(none.build).accepts("")).toBe(true);
});

test("another order is refused with its path", () => {
  const wrong = { ...tool(), function: { ...tool().function, order: "random" } };
  expect(() => readRequestFormat({ tools: [wrong] })).toThrow(
    /^tools\[0\]\.function\.order is "random": write "required", "schema" or "any"/,
  );
  const format = { type: "json_schema", json_schema: { name: "x", schema, order: 1 } };
  expect(() => readRequestFormat({ responseFormat: format })).toThrow(
    /^response_format\.json_schema\.order is 1/,
  );
});

test("the model does not read the order", () => {
  const template = "{% for t in tools %}{{ t | tojson }}{% endfor %}";
  expect(offerTools(template, hermesFormat, [], [tool("any")]).tools).toEqual([tool()]);
  const [described] = offerTools(
    null,
    hermesFormat,
    [{ role: "user", content: "Go" }],
    [tool("any")],
  ).messages;
  expect(JSON.stringify(described)).not.toContain("order");
});

describe("how many calls a request allows that does not say", () => {
  test.each([
    ["required", undefined, false],
    ["required", true, true],
    ["auto", undefined, true],
    ["auto", false, false],
    [undefined, null, true],
  ])("tool_choice %j, parallel_tool_calls %j", (toolChoice, parallelToolCalls, isSeveral) => {
    const read = readRequestFormat({ tools: [tool()], toolChoice, parallelToolCalls });
    expect(read.parallelToolCalls).toBe(isSeveral);
  });
});
