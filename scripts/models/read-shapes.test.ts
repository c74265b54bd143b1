import { expect, test } from "vitest";
import { readShapesOption } from "./read-shapes.ts";

test("shapes have their own layers unless a number is given; SmolLM2's and Qwen3's unless shapes are", () => {
  expect(readShapesOption()).toEqual([{ name: "smollm2-135m-random" }, { name: "qwen3-0.6b" }]);
  expect(readShapesOption("qwen3-0.6b:2,large-cache")).toEqual([
    { name: "qwen3-0.6b", layers: 2 },
    { name: "large-cache" },
  ]);
});

test("an unknown name and a wrong number are refused with what can be said", () => {
  expect(() => readShapesOption("gpt-5")).toThrow('--shapes has "gpt-5". It can have smollm2-135m-random, ');
  expect(() => readShapesOption("qwen3-0.6b:0")).toThrow(
    '--shapes has "qwen3-0.6b:0". Behind the colon stands a number of layers.',
  );
});
