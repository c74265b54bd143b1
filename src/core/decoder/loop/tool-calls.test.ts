import { describe, expect, test } from "vitest";
import { toolCallId } from "../../trace/text/tool-call-id.ts";
import { readModToolCalls } from "./tool-calls.ts";

const fill = (call: number) => `filled-${call}`;
const made = (id: string, name: string, text: string) => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

describe("readToolCalls", () => {
  test.each<[string, unknown, unknown]>([
    ["one call", { name: "f", arguments: '{"a":1}' }, [made("filled-0", "f", '{"a":1}')]],
    [
      "a list",
      [{ name: "f" }, { name: "g", arguments: { b: [2] } }],
      [made("filled-0", "f", "{}"), made("filled-1", "g", '{"b":[2]}')],
    ],
    [
      "OpenAI's form",
      { id: "x", type: "function", function: { name: "f", arguments: "{}" } },
      [made("x", "f", "{}")],
    ],
    [
      "OpenAI's form without an id",
      [{ function: { name: "f", arguments: {} } }],
      [made("filled-0", "f", "{}")],
    ],
    ["an empty id is none", { id: "", name: "f" }, [made("filled-0", "f", "{}")]],
    [
      "fields that do not belong are left out",
      { name: "f", extra: 1, function: null },
      [made("filled-0", "f", "{}")],
    ],
  ])("%s", (_, value, expected) => expect(readModToolCalls(value, fill)).toEqual(expected));

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  test.each<[string, unknown, string]>([
    ["no calls", [], "at least one"],
    ["no name", [{ name: "f" }, { arguments: {} }], "Tool call 2 has no name"],
    ["an empty name", { name: "" }, "has no name"],
    ["a text", "f", "has no name"],
    ["null", null, "has no name"],
    ["arguments with a cycle", { name: "f", arguments: cycle }, 'arguments of tool call "f"'],
    ["arguments that are code", { name: "f", arguments: () => 1 }, 'arguments of tool call "f"'],
  ])("refuses %s", (_, value, problem) => expect(readModToolCalls(value, fill)).toContain(problem));
});

test("ids are call_ and 24 characters, one for each seed, prompt and call", () => {
  const ids = [0, 1, 2].flatMap((seed) =>
    [[1], [1, 2], [2, 1]].flatMap((prompt) => [0, 1].map((call) => toolCallId(seed, prompt, call))),
  );
  expect(new Set(ids).size).toBe(18);
  for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{24}$/);
  expect(toolCallId(1, [2], 3)).toBe(toolCallId(1, [2], 3));
});
