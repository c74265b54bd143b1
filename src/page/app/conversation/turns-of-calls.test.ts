import { expect, test } from "vitest";
import { turnsOfToolCalls } from "./turns-of-calls.ts";

const call = (id: string, name: string) => ({
  id,
  type: "function" as const,
  function: { name, arguments: '{"city":"Bern"}' },
});

test.each<[string, string, boolean, string]>([
  [
    "calls of Hermes's family, with words before",
    'Let me look.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>',
    true,
    "Let me look.",
  ],
  [
    "nothing but the call",
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>',
    true,
    "",
  ],
  ["calls that no format finds, of a request with tools", "weather(Bern)", true, ""],
  ["a mod's own call beside the model's words", "I shall ask.", false, "I shall ask."],
])("%s", (_what, text, offersTools, beside) => {
  expect(turnsOfToolCalls({ text, toolCalls: [call("call_1", "weather")] }, offersTools)).toEqual([
    {
      role: "assistant",
      text: beside,
      calls: [{ id: "call_1", name: "weather", arguments: '{"city":"Bern"}' }],
    },
    { role: "tool", text: "", callId: "call_1" },
  ]);
});
