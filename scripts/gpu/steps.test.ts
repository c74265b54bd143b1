import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandOf, type GpuStepName, gpuSteps, readSteps } from "./steps.ts";

const root = join(import.meta.dirname, "../..");

test("a step has its own limit unless the command line gives another", () => {
  expect(readSteps(["decode", "kv:15"])).toEqual([
    { name: "decode", seconds: gpuSteps.decode.limit },
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
  for (const { command } of Object.values(gpuSteps)) {
    for (const argument of command.filter((each) => each.startsWith("e2e/")))
      expect(existsSync(join(root, argument)), argument).toBe(true);
  }
});

test("every bench step asks for the card", () => {
  for (const { command } of Object.values(gpuSteps))
    if (command[0] === "tsx") expect(command.join(" ")).toContain("--device gpu");
});

test("each test of a step has a time limit, and a reporter names those that take long", () => {
  const names = Object.keys(gpuSteps) as GpuStepName[];
  const ofTests = names.filter((name) => gpuSteps[name].command[0] === "playwright");
  expect(ofTests.length).toBeGreaterThan(1);
  for (const name of ofTests) {
    expect(commandOf({ name, seconds: 400 })).toContain("--timeout=90000");
    const command = commandOf({ name, seconds: 6000 });
    expect(command).toContain("--timeout=600000");
    const reporters = command.find((each) => each.startsWith("--reporter="))?.split(/[=,]/) ?? [];
    const own = reporters.filter((each) => each.includes("/"));
    expect(own).toHaveLength(1);
    expect(existsSync(join(root, own[0] ?? ""))).toBe(true);
  }
  expect(commandOf({ name: "kv", seconds: 6000 })).toBe(gpuSteps.kv.command);
});
