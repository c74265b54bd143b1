import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listModels, modelsWithOutsideLinks } from "./list-models.ts";

const root = mkdtempSync(join(tmpdir(), "midtoken-list-"));
const folder = join(root, "models");
const write = (path: string, content: string, below = folder) => {
  mkdirSync(join(below, path, ".."), { recursive: true });
  writeFileSync(join(below, path), content);
};
write("alpha/config.json", '{"max_position_embeddings": 512}');
write("alpha/onnx/model.onnx_data", "01234");
write("alpha/tokenizer.json", "{}");
write("alpha/onnx/model.onnx", "0123456789");
write("alpha/onnx/model_q4.onnx", "01234");
write("alpha/onnx/model_bnb4.onnx", "012");
write("alpha/onnx/model_bnb4.onnx_data", "0123");
write("beta & co/config.json", "broken");
write("beta & co/tokenizer.json", "{}");
write("beta & co/onnx/model_int8.onnx", "0123");
write("no-graph/config.json", "{}");
write("no-graph/tokenizer.json", "{}");
write("only-concat/config.json", "{}");
write("only-concat/tokenizer.json", "{}");
write("only-concat/onnx/model_concat.onnx", "0");
write("README.md", "not a folder");
symlinkSync(join(folder, "alpha"), join(folder, "linked"));
// What is not served is not listed: dotfolders, and links out of the folder.
write(".hidden/config.json", "{}");
write(".hidden/tokenizer.json", "{}");
write(".hidden/onnx/model.onnx", "0");
write("elsewhere/config.json", '{"max_position_embeddings": 99}', root);
write("elsewhere/tokenizer.json", "{}", root);
write("elsewhere/onnx/model.onnx", "0", root);
symlinkSync(join(root, "elsewhere"), join(folder, "out"));
write("weights-out/config.json", "{}");
write("weights-out/tokenizer.json", "{}");
mkdirSync(join(folder, "weights-out/onnx"));
symlinkSync(join(root, "elsewhere/onnx/model.onnx"), join(folder, "weights-out/onnx/model.onnx"));
// A link to nowhere is nothing, and hinders nothing.
symlinkSync(join(root, "nowhere"), join(folder, "alpha/onnx/model_fp16.onnx"));

const alphaFiles = expect.toSatisfy((files: { path: string; bytes: number }[]) => {
  expect(files.toSorted((one, other) => one.path.localeCompare(other.path))).toEqual([
    { path: "config.json", bytes: 32 },
    { path: "onnx/model_bnb4.onnx", bytes: 3 },
    { path: "onnx/model_bnb4.onnx_data", bytes: 4 },
    { path: "onnx/model_q4.onnx", bytes: 5 },
    { path: "onnx/model.onnx", bytes: 10 },
    { path: "onnx/model.onnx_data", bytes: 5 },
    { path: "tokenizer.json", bytes: 2 },
  ]);
  return true;
});

const alphaWeights = [
  { dtype: "fp32", bytes: 15 },
  { dtype: "q4", bytes: 5 },
  { dtype: "bnb4", bytes: 7 },
];

test("model folders are listed with the graphs they have", async () => {
  expect(await listModels(folder)).toEqual([
    {
      id: "alpha",
      url: "local-models/alpha/",
      revision: null,
      weights: alphaWeights,
      config: { max_position_embeddings: 512 },
      files: alphaFiles,
      contextLength: 512,
    },
    {
      id: "beta & co",
      url: "local-models/beta%20%26%20co/",
      revision: null,
      weights: [{ dtype: "int8", bytes: 4 }],
      config: {},
      files: [
        { path: "config.json", bytes: 6 },
        { path: "tokenizer.json", bytes: 2 },
        { path: "onnx/model_int8.onnx", bytes: 4 },
      ],
      contextLength: 0,
    },
    {
      id: "linked",
      url: "local-models/linked/",
      revision: null,
      weights: alphaWeights,
      config: { max_position_embeddings: 512 },
      files: alphaFiles,
      contextLength: 512,
    },
  ]);
});

test("folders with links out of the folder of models are named", async () => {
  expect(await modelsWithOutsideLinks(folder)).toEqual(["out", "weights-out"]);
});
