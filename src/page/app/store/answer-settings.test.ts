import { describe, expect, test } from "vitest";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { answerFormatProblem } from "../../../runtime/session/page-side/client.ts";
import {
  type AnswerFormatSettings,
  answerFieldsOfSettings,
  answerSettingsOfRecord,
  defaultAnswerFormatSettings,
  parseAnswerFormatSettings,
  toolNames,
} from "./answer-settings.ts";

const read = (changes: Partial<AnswerFormatSettings>) =>
  answerFieldsOfSettings({ ...defaultAnswerFormatSettings, ...changes });

test("at first the answer is free", () => {
  expect(read({})).toEqual({
    ok: true,
    fields: { responseFormat: null, tools: [], toolChoice: "auto", parallelToolCalls: true },
  });
});

test("what is chosen is in the request", () => {
  expect(read({ format: "json" })).toMatchObject({ fields: { responseFormat: { type: "json_object" } } });
  expect(read({ format: "schema", schema: '{"type":"null"}' })).toMatchObject({
    fields: { responseFormat: { type: "json_schema", json_schema: { schema: { type: "null" } } } },
  });
  expect(read({ offersTools: true, toolChoice: ":get_weather" })).toMatchObject({
    fields: { toolChoice: { type: "function", function: { name: "get_weather" } } },
  });
  expect(read({ offersTools: true, toolChoice: "required" })).toMatchObject({
    fields: { toolChoice: "required" },
  });
});

test("an answer that has to be a call is one call, unless the user asks for several", () => {
  const sent = (changes: Partial<AnswerFormatSettings>) => {
    const answer = read({ offersTools: true, ...changes });
    return answer.ok && answer.fields.parallelToolCalls;
  };
  expect(sent({})).toBe(true);
  expect(sent({ toolChoice: "required" })).toBe(false);
  expect(sent({ toolChoice: ":get_weather" })).toBe(false);
  expect(sent({ toolChoice: "required", parallelToolCalls: true })).toBe(true);
  expect(sent({ parallelToolCalls: false })).toBe(false);
});

test("what is not JSON is told, with its field; not where it is not used", () => {
  expect(read({ format: "schema", schema: "{" })).toMatchObject({
    ok: false,
    field: "schema",
    problem: expect.stringMatching(/^The schema is not valid JSON: /),
  });
  expect(read({ offersTools: true, tools: "[}" })).toMatchObject({ ok: false, field: "tools" });
  expect(read({ schema: "{", tools: "[}" })).toMatchObject({ ok: true });
});

test("the examples that the page starts with are sound", async () => {
  const answer = read({ format: "schema", offersTools: true });
  expect(answer.ok && (await answerFormatProblem(answer.fields))).toBe(null);
  expect(toolNames(defaultAnswerFormatSettings)).toEqual(["get_weather"]);
});

describe("what the session tells", () => {
  test.each<[string, Partial<AnswerFormatSettings>, RegExp]>([
    ["a keyword that is wrong", { format: "schema", schema: '{"minimum":"x"}' }, /^#\/minimum: /],
    ["a schema that is none", { format: "schema", schema: "5" }, /schema is 5/],
    ["tools that are no list", { offersTools: true, tools: "{}" }, /^tools is \{\}/],
    [
      "a function that is not there",
      { offersTools: true, toolChoice: ":gone" },
      /"gone", but the tools are "get_weather"/,
    ],
    [
      "parameters that are wrong",
      {
        offersTools: true,
        tools: '[{"type":"function","function":{"name":"a","parameters":{"minProperties":-1}}}]',
      },
      /#\/minProperties/,
    ],
  ])("%s", async (_what, changes, message) => {
    const answer = read(changes);
    expect(answer.ok && (await answerFormatProblem(answer.fields))).toMatch(message);
  });
});

test("what was kept is read field by field", () => {
  expect(parseAnswerFormatSettings(null)).toEqual(defaultAnswerFormatSettings);
  expect(
    parseAnswerFormatSettings({
      format: "xml",
      schema: 5,
      offersTools: "yes",
      tools: "[]",
      toolChoice: null,
    }),
  ).toEqual({
    ...defaultAnswerFormatSettings,
    tools: "[]",
  });
  expect(parseAnswerFormatSettings({ ...defaultAnswerFormatSettings, format: "schema" }).format).toBe(
    "schema",
  );
});

test.each([["null"], ["5"], ["[null]"], ['[{"function":null}]'], ["["]])("names in %s are none", (tools) => {
  expect(toolNames({ ...defaultAnswerFormatSettings, tools })).toEqual([]);
});

describe("settings of a recorded request", () => {
  const schema = '{"type":"object","properties":{"b":{},"a":{}}}';
  const tools = '[{"type":"function","function":{"name":"feed","strict":true}}]';
  test.each<[string, Partial<AnswerFormatSettings>]>([
    ["free text", {}],
    ["JSON", { format: "json" }],
    ["a schema", { format: "schema", schema }],
    ["tools", { offersTools: true, tools }],
    ["a named tool, one call", { offersTools: true, tools, toolChoice: ":feed", parallelToolCalls: false }],
    ["no call, by a schema", { format: "schema", schema, offersTools: true, tools, toolChoice: "none" }],
  ])("%s: the fork asks for what was recorded", (_what, changes) => {
    const answer = read(changes);
    if (!answer.ok) throw new Error(answer.problem);
    const {
      tools = [],
      toolChoice = "auto",
      parallelToolCalls = true,
      responseFormat = null,
    } = answer.fields;
    const record = requestRecord({
      toolChoice,
      parallelToolCalls,
      tools: tools.map((tool) => JSON.stringify(tool)),
      responseFormat: responseFormat && JSON.stringify(responseFormat),
    });
    expect(read(answerSettingsOfRecord(record))).toEqual(answer);
  });

  test("what cannot be read is shown where it can be mended", () => {
    const damaged = requestRecord({ tools: ["{"], responseFormat: "[}" });
    const answer = answerSettingsOfRecord(damaged);
    expect(answer).toMatchObject({ format: "schema", schema: "[}", offersTools: true, tools: "[{]" });
    expect(read(answer)).toMatchObject({ ok: false, field: "schema" });
  });
});
