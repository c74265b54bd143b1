/** Every example of docs/mods.md is compiled, run on the bundled model, and gives the output that the page shows. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inProcessMod } from "./testing/in-process-mod.ts";
import { openTestModel, type TestModel } from "./testing/test-model.ts";

const page = readFileSync("docs/mods.md", "utf8");
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = "", text = ""]) => ({
  language,
  text,
}));
/** An example and the output under it. */
const examples = blocks.flatMap(({ language, text }, index) =>
  language === "ts" ? [{ source: text, output: blocks[index + 1] }] : [],
);

let model: TestModel;
beforeAll(async () => {
  model = await openTestModel("public/models/stories260k", "onnx/model.onnx");
});
afterAll(() => model.dispose());

const messages = [{ role: "user", content: "Once upon a time" }] as const;

describe("docs/mods.md", () => {
  test("has examples, each with its output", () => {
    expect(examples.length).toBeGreaterThan(8);
    expect(examples.filter(({ output }) => output?.language !== "text")).toEqual([]);
    expect(blocks).toHaveLength(examples.length * 2);
  });

  test.each(examples)("example %#", async ({ source, output }) => {
    const mod = inProcessMod(source, model.tokenizer);
    const plain = await model.run({ messages, maxTokens: 24 });
    const { finished } = await model.run({ messages, maxTokens: 24 }, [mod]);
    expect(finished.error).toBeNull();
    expect(finished.text).toBe(output?.text.replace(/\n$/, ""));
    expect(finished.text).not.toBe(plain.finished.text);
  });
});
