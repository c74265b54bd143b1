import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSteps, steps } from "./steps.ts";

const root = join(import.meta.dirname, "../..");

test("a step has its own limit unless the command line gives another", () => {
  expect(readSteps(["decode", "kv:15"])).toEqual([
    { name: "decode", seconds: steps.decode.limit },
    { name: "kv", seconds: 15 },
  ]);
});

test("what is no step is refused, with the steps that there are", () => {
  expect(() => readSteps([])).toThrow(/^Which steps\? There are conformance, /);
  expect(() => readSteps(["decod"])).toThrow(/^There is no step "decod"\. There are conformance, /);
  expect(() => readSteps(["constructor"])).toThrow('There is no step "constructor"');
  expect(() => readSteps(["kv:soon"])).toThrow(
    '"kv:soon" has no number of seconds behind the colon. Write kv:60, for example.',
  );
});

test("each step runs a file of the project", () => {
  for (const { command } of Object.values(steps)) {
    for (const argument of command.filter((each) => each.startsWith("e2e/")))
      expect(existsSync(join(root, argument)), argument).toBe(true);
  }
});

test("every bench step asks for the card", () => {
  for (const { command } of Object.values(steps))
    if (command[0] === "tsx") expect(command.join(" ")).toContain("--device gpu");
});
