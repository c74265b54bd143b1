/** The command that makes model folders: the files that it writes, and the errors for wrong commands. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { makeModelCommand } from "./make.ts";

describe("the command", () => {
  const out = mkdtempSync(join(tmpdir(), "midtoken-make-"));
  afterAll(() => rmSync(out, { recursive: true }));

  test("writes a folder that has all a model has", () => {
    const lines: string[] = [];
    makeModelCommand(["large-cache", "--layers", "1", "--out", out], (line) => lines.push(line));
    expect(lines).toEqual([`${out}/onnx/model_q4.onnx: 9.0 KB`, `${out}/onnx/model_q4.onnx_data: 2.2 MB`]);
    expect(readdirSync(out, { recursive: true }).toSorted()).toEqual([
      "config.json",
      "generation_config.json",
      "onnx",
      "onnx/model_q4.onnx",
      "onnx/model_q4.onnx_data",
      "special_tokens_map.json",
      "tokenizer.json",
      "tokenizer_config.json",
    ]);
    const config = JSON.parse(readFileSync(join(out, "config.json"), "utf8"));
    expect(config).toMatchObject({ num_hidden_layers: 1, vocab_size: 512, eos_token_id: [1, 2] });
  });

  test.each([
    [[], "Which model?"],
    [["gpt-5"], '"gpt-5" is not the name of a model.'],
    [["large-cache", "--dtypes", "q4,q5"], '--dtypes has "q5": choose of fp32, q4, int8, q4f16.'],
    [["large-cache", "--layers", "0"], '--layers is "0", and must be a whole number of 1 or more.'],
    [["large-cache", "--seed", "x"], '--seed is "x", and must be a whole number of 0 or more.'],
  ])("%j is refused", (argv, message) => {
    expect(() => makeModelCommand(argv)).toThrow(message);
  });
});
