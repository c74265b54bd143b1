import { describe, expect, test } from "vitest";
import { getSchemas, toolCallPairs } from "./conversation.ts";
import { mod } from "./mod.ts";
import type { Message, ResponseFormat, ToolCall } from "./request.ts";
import { createModRunner } from "./runner.ts";
import { letterTokenizer } from "./testing/letter-tokenizer.ts";
import { sampleWireEvents } from "./testing/wire-events.ts";

const call = (id: string, name = "f"): ToolCall => ({
  id,
  type: "function",
  function: { name, arguments: "{}" },
});
const asks = (...calls: ToolCall[]): Message => ({ role: "assistant", content: null, tool_calls: calls });
const says = (id: string, content: unknown): Message => ({
  role: "tool",
  tool_call_id: id,
  content: content as string,
});

describe("toolCallPairs", () => {
  test.each<[string, Message[], [string, string | null][]]>([
    ["nothing", [{ role: "user", content: "hi" }], []],
    ["a call without an answer", [asks(call("1"))], [["1", null]]],
    [
      "calls in their order, whatever the order of the answers",
      [asks(call("2"), call("1")), says("1", "a"), says("2", "b")],
      [
        ["2", "b"],
        ["1", "a"],
      ],
    ],
    [
      "over several messages",
      [asks(call("1")), says("1", "a"), { role: "user", content: "more" }, asks(call("2"))],
      [
        ["1", "a"],
        ["2", null],
      ],
    ],
    ["the last answer counts", [asks(call("1")), says("1", "a"), says("1", "b")], [["1", "b"]]],
    ["an answer before its call is none", [says("1", "a"), asks(call("1"))], [["1", null]]],
    ["an answer to nothing", [asks(call("1")), says("2", "a")], [["1", null]]],
    [
      "an id that comes again takes the answers from there on",
      [asks(call("1")), says("1", "a"), asks(call("1")), says("1", "b")],
      [
        ["1", "a"],
        ["1", "b"],
      ],
    ],
    [
      "a call without an id is left out",
      [asks({ ...call("1"), id: undefined as never }, call("2"))],
      [["2", null]],
    ],
    [
      "tool calls of others are not the assistant's",
      [{ role: "user", content: "", tool_calls: [call("1")] }],
      [],
    ],
  ])("%s", (_, messages, expected) => {
    expect(toolCallPairs(messages).map(({ call: { id }, answer }) => [id, answer])).toEqual(expected);
  });

  test.each<[unknown, string | null]>([
    [null, null],
    [undefined, null],
    ["", ""],
    ["text", "text"],
    [
      [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      "ab",
    ],
    [["a", { content: "b" }], "ab"],
    [
      [
        { type: "image_url", image_url: {} },
        { type: "text", text: "a" },
      ],
      "a",
    ],
    [[{ type: "image_url", image_url: {} }], null],
    [[], null],
    [["a", 4], null],
    [{ a: 1 }, '{"a":1}'],
  ])("content %j is %j", (content, answer) => {
    expect(toolCallPairs([asks(call("1")), says("1", content)])[0]?.answer).toBe(answer);
  });
});

/** The result of `read`, called in a handler of a request. */
async function inRequest<Result>(read: () => Result, request: object): Promise<Result> {
  const results: Result[] = [];
  const reading = mod({
    added() {
      results.push(read());
    },
  });
  const runner = createModRunner({ default: reading }, { tokenizer: letterTokenizer });
  await runner.handle({ ...sampleWireEvents.prefilled, ...request });
  await runner.handle(sampleWireEvents.added);
  await runner.handle(sampleWireEvents.finished);
  return results[0] as Result;
}

test("the request's own messages unless others are given", async () => {
  const messages = [asks(call("7")), says("7", "seen")];
  expect(await inRequest(() => toolCallPairs(), { messages })).toEqual([{ call: call("7"), answer: "seen" }]);
});

const tool = { type: "function", function: { name: "look", parameters: { type: "object" } } } as const;
const schema = { type: "object", properties: {} };
test.each<[ResponseFormat | null, readonly (typeof tool)[], unknown[]]>([
  [null, [], []],
  [null, [tool, tool], [tool, tool]],
  [{ type: "json_schema", json_schema: { name: "n", schema } }, [tool], [schema, tool]],
  [{ type: "json_object" }, [], [{ type: "json_object" }]],
])("getSchemas of %j and %j", async (responseFormat, tools, expected) => {
  expect(await inRequest(getSchemas, { responseFormat, tools })).toEqual(expected);
});

test("outside a handler there is nothing to read", () => {
  expect(() => getSchemas()).toThrow("getSchemas() belongs to a request");
  expect(() => toolCallPairs()).toThrow("getConversation() belongs to a request");
});

test("a request that was not sent is told with the name of the reader", async () => {
  const runner = createModRunner(
    { default: mod({ added: () => void getSchemas() }) },
    {
      tokenizer: letterTokenizer,
      reads: { logits: false, topK: true, hiddenState: false, conversation: false },
    },
  );
  await expect(runner.handle(sampleWireEvents.added)).rejects.toThrow(
    "getSchemas() has no value: Midtoken sends the request only to mods whose source contains the name getSchemas. Call the function by this name.",
  );
});
