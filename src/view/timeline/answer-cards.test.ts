import { describe, expect, test } from "vitest";
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import { createTraceModel } from "../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../core/trace/testing/trace-builder.ts";
import { answerCardCount, answerCards, indentJson } from "./answer-cards.ts";

function cardsOf(finished: Partial<FinishedRecord>) {
  const trace = createTraceModel();
  trace.append(createTraceBuilder().finish("stop", finished).records);
  return answerCards(trace);
}

const call = (name: string, given: string) =>
  ({ id: "1", type: "function", function: { name, arguments: given } }) as const;

test("an answer in prose has no card, nor has a run that goes on", () => {
  expect(cardsOf({ text: "Once upon a time" })).toEqual([]);
  expect(cardsOf({ text: "[sic] he said" })).toEqual([]);
  expect(cardsOf({ text: "5" })).toEqual([]);
  expect(answerCards(createTraceModel())).toEqual([]);
});

test("an answer in JSON is indented", () => {
  expect(cardsOf({ text: ' {"a":[1,2]}' })).toEqual([
    { title: "JSON answer", json: '{\n  "a": [\n    1,\n    2\n  ]\n}' },
  ]);
});

test("each tool call has a card with its arguments, whatever text stands beside them", () => {
  const toolCalls = [call("get_weather", '{"city":"Oslo"}'), call("stop", "none")];
  expect(cardsOf({ text: '{"a":1}', toolCalls })).toEqual([
    { title: "Tool call: get_weather", json: '{\n  "city": "Oslo"\n}' },
    { title: "Tool call: stop", json: "none" },
  ]);
});

test("a text of lists within lists, which indented would be endless, stays as it is", () => {
  const deep = "[".repeat(60_000) + "]".repeat(60_000);
  expect(cardsOf({ text: deep })).toEqual([]);
  expect(cardsOf({ toolCalls: [call("deep", deep)] })).toEqual([{ title: "Tool call: deep", json: deep }]);
  expect(cardsOf({ text: `["${"x".repeat(3_000_000)}"]` })).toEqual([]);
});

test("of many calls only those asked for are made", () => {
  const trace = createTraceModel();
  const toolCalls = Array.from({ length: 60_000 }, (_, place) => call(`call-${place}`, "{}"));
  trace.append(createTraceBuilder().finish("tool_calls", { toolCalls }).records);
  expect(answerCardCount(trace)).toBe(60_000);
  expect(answerCards(trace, 100, 102).map(({ title }) => title)).toEqual([
    "Tool call: call-100",
    "Tool call: call-101",
  ]);
});

test.each([
  ['{"a" : "b c"}', '{\n  "a": "b c"\n}'],
  ['{"a":1e400}', '{"a":1e400}'],
  ['{"a":12345678901234567890}', '{"a":12345678901234567890}'],
  ['{"a":1,"a":2}', '{"a":1,"a":2}'],
  ['{"a":"\\u0041"}', '{"a":"\\u0041"}'],
  ["{", null],
])("%s becomes %s", (text, expected) => {
  expect(indentJson(text)).toBe(expected);
});

describe("an answer that is cut in a tool call", () => {
  const whole = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n';
  const begun = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Be';
  const definition = JSON.stringify({ type: "function", function: { name: "get_weather" } });
  const cardsOfCut = (text: string, end: Partial<FinishedRecord>) => {
    const trace = createTraceModel();
    const request = requestRecord({ tools: ["not JSON", definition] });
    trace.append(createTraceBuilder(request).finish(end.reason ?? "length", { text, ...end }).records);
    expect(answerCardCount(trace)).toBe(answerCards(trace).length);
    return answerCards(trace);
  };

  test("has its whole calls and the cut one, whose arguments are those that came", () => {
    expect(cardsOfCut(whole + begun, { lengthLimit: "maxTokens" })).toEqual([
      { title: "Tool call: get_weather", json: '{\n  "city": "Oslo"\n}' },
      { title: "Tool call, cut by the token limit: get_weather", json: '{"city": "Be' },
    ]);
  });

  test.each<[Partial<FinishedRecord>, string]>([
    [{ reason: "length", lengthLimit: null }, "cut by the token limit"],
    [{ reason: "length", lengthLimit: "context" }, "cut because the context is full"],
    [{ reason: "length", lengthLimit: "maxSteps" }, "cut by a mod’s step limit"],
    [{ reason: "cancelled" }, "cut when the run was stopped"],
    [{ reason: "stop" }, "incomplete, because the model ended its answer early"],
  ])("%j: %s", (end, words) => {
    expect(cardsOfCut(`Let me look.\n${begun}`, end)).toEqual([
      { title: `Tool call, ${words}: get_weather`, json: '{"city": "Be' },
    ]);
  });

  test("before its arguments says so", () => {
    expect(cardsOfCut(begun.slice(0, begun.indexOf("arguments")), {})).toEqual([
      { title: "Tool call without arguments, cut by the token limit: get_weather", json: "" },
    ]);
  });

  test("before its name is complete has what came of it", () => {
    const text = begun.slice(0, begun.indexOf("weather"));
    expect(cardsOfCut(whole + text, {})).toEqual([
      { title: "Tool call: get_weather", json: '{\n  "city": "Oslo"\n}' },
      { title: "Tool call with an incomplete name, cut by the token limit", json: '{"name": "get_' },
    ]);
    expect(cardsOfCut(text.slice(0, 6), {})).toEqual([
      { title: "Tool call with an incomplete name, cut by the token limit", json: "<tool_" },
    ]);
    expect(cardsOfCut(text.slice(0, 6), { reason: "stop" })).toEqual([]);
  });

  test("of a request without such a tool is prose", () => {
    expect(cardsOfCut(begun.replaceAll("get_weather", "other"), {})).toEqual([]);
    expect(cardsOf({ text: begun })).toEqual([]);
  });
});
