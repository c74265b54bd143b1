import { expect, test } from "vitest";
import { createTextCheck, findCheckProblem, type LocalCheck } from "./checks.ts";

const person = JSON.stringify({
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" } },
});

const rows: readonly [LocalCheck, holds: readonly string[], fails: readonly string[]][] = [
  [
    { name: "text", type: "text", text: "Lily", ignoreCase: false },
    ["Lily", "So Lily ran"],
    ["", "lily", "Lil y"],
  ],
  [{ name: "any case", type: "text", text: "Lily", ignoreCase: true }, ["LILY!"], ["Max"]],
  [{ name: "regex", type: "regex", source: "^\\w+ ran", flags: "i" }, ["Max RAN off"], ["So Max ran"]],
  [
    { name: "schema", type: "schema", schema: person },
    ['{"name":"Max"}', ' {"name": ""}\n'],
    ['{"name":1}', "{}", "Max", "", '{"name":"Max"} and more'],
  ],
];

test.each(rows)("%j", (check, holds, fails) => {
  const ask = createTextCheck(check);
  for (const text of holds) expect(ask(text), text).toEqual({ holds: true, problem: null });
  for (const text of fails) expect(ask(text), text).toEqual({ holds: false, problem: null });
  expect(findCheckProblem(check)).toBeNull();
});

test("what cannot be asked is said, with its place", () => {
  expect(findCheckProblem({ name: "", type: "text", text: "", ignoreCase: false })).toMatch(/empty/);
  expect(findCheckProblem({ name: "", type: "regex", source: "a(?<=b)", flags: "" })).toMatch(/column 2/);
  expect(findCheckProblem({ name: "", type: "schema", schema: "{" })).toMatch(/not valid JSON/);
  expect(findCheckProblem({ name: "", type: "schema", schema: '{"type":"text"}' })).toMatch(/#\/type/);
});

test("an answer that takes too much work is a problem, and no verdict", () => {
  const source = `(a|b)*a${"(a|b)".repeat(3_000)}(a|b)*c$`;
  const text = Array.from({ length: 20_000 }, (_, at) => "ab"[((at * at + (at >> 3)) % 3) % 2]).join("");
  const { holds, problem } = createTextCheck({ name: "", type: "regex", source, flags: "" })(text);
  expect(holds).toBeNull();
  expect(problem).toMatch(/too complex/);
});
