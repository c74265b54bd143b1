import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../../core/sdk/request.ts";
import {
  messagesToTurns,
  parseTurns,
  type Turn,
  turnsHaveAnswer,
  turnsToMessages,
  unansweredCalls,
} from "./turns.ts";

const turn = (role: Turn["role"], text: string): Turn => ({ id: text, role, text });
const asked = [{ role: "user", content: "Is it so?" }] as const;
const weather = { id: "call_1", name: "weather", arguments: '{"city":"Bern"}' };
const calling: Turn = { id: "a", role: "assistant", text: "", calls: [weather] };

test.each<[string, readonly Turn[], boolean]>([
  ["as it was asked", [turn("user", "Is it so?")], false],
  ["kept", [turn("user", "Is it so?"), turn("assistant", "Yes."), turn("user", "")], true],
  [
    "kept, with an empty system text",
    [turn("system", ""), turn("user", "Is it so?"), turn("assistant", "Yes.")],
    true,
  ],
  ["another answer is there", [turn("user", "Is it so?"), turn("assistant", "No.")], false],
  ["another question", [turn("user", "Was it so?"), turn("assistant", "Yes.")], false],
  [
    "the same answer to an earlier question",
    [turn("user", "Well?"), turn("assistant", "Yes."), turn("user", "Is it so?")],
    false,
  ],
])("the answer is kept once: %s", (_what, turns, isKept) => {
  expect(turnsHaveAnswer(turns, asked, { text: "Yes.", toolCalls: [] })).toBe(isKept);
});

test.each<[string, readonly Turn[], boolean]>([
  ["no calls there", [turn("user", "Is it so?")], false],
  ["the calls are there", [turn("user", "Is it so?"), calling], true],
  [
    "they were changed since",
    [turn("user", "Is it so?"), { ...calling, text: "Hm.", calls: [{ ...weather, arguments: "{}" }] }],
    true,
  ],
  ["other calls", [turn("user", "Is it so?"), { ...calling, calls: [{ ...weather, id: "call_2" }] }], false],
])("calls are kept once: %s", (_what, turns, isKept) => {
  expect(turnsHaveAnswer(turns, asked, { text: "raw", toolCalls: [{ id: "call_1" }] })).toBe(isKept);
});

test("calls and their answers are messages as OpenAI's clients write them", () => {
  const turns: Turn[] = [
    turn("user", "Weather?"),
    calling,
    { id: "t", role: "tool", text: "12 °C", callId: "call_1" },
  ];
  expect(turnsToMessages(turns)).toEqual([
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Bern"}' } },
      ],
    },
    { role: "tool", content: "12 °C", tool_call_id: "call_1", name: "weather" },
  ]);
});

const call = fc.record({ id: fc.uuid(), name: fc.string({ minLength: 1 }), arguments: fc.json() });
const anyTurn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ id: fc.uuid(), role: fc.constantFrom("user", "assistant", "tool"), text: fc.string() }),
  fc.record({
    id: fc.uuid(),
    role: fc.constant("assistant" as const),
    text: fc.string(),
    calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ id: fc.uuid(), role: fc.constant("tool" as const), text: fc.string(), callId: fc.uuid() }),
);

test("turns are the same after they were messages, and after they were kept", () => {
  fc.assert(
    fc.property(fc.array(anyTurn), (turns) => {
      const plain = turns.map(({ id: _id, ...rest }) => rest);
      expect(messagesToTurns(turnsToMessages(turns))).toEqual(plain);
      expect(parseTurns(JSON.parse(JSON.stringify(turns)))).toEqual(turns);
    }),
  );
});

test("what is no turn is left out, and what is no call of one", () => {
  const good = {
    id: "a",
    role: "assistant",
    text: "",
    calls: [weather, { id: "", name: "x", arguments: "{}" }, 7],
  };
  expect(parseTurns([good, { id: "b", role: "robot", text: "" }, null, { id: "c", role: "user" }])).toEqual([
    { id: "a", role: "assistant", text: "", calls: [weather] },
  ]);
  expect(parseTurns("turns")).toBeNull();
});

test("a call is open until a tool's turn answers it", () => {
  const second = { ...weather, id: "call_2" };
  const turns: Turn[] = [{ ...calling, calls: [weather, second] }];
  expect(unansweredCalls(turns)).toEqual([weather, second]);
  expect(unansweredCalls([...turns, { id: "t", role: "tool", text: "", callId: "call_1" }])).toEqual([
    second,
  ]);
});

test("content that is no text is left out", () => {
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "a" }, { type: "image" }] }];
  expect(messagesToTurns(messages)).toEqual([{ role: "user", text: "a" }]);
});
