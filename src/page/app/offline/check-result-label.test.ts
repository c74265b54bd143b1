import { expect, test } from "vitest";
import { checkResultLabel } from "./check-result-label.ts";

test.each([
  [[], false, /^All saved files of Smol are intact\.$/],
  [[], true, /are intact\. A newer version is on Hugging Face\.$/],
  [
    ["onnx/model.onnx"],
    false,
    /^onnx\/model\.onnx was damaged in Smol\. Damaged files were downloaded again/,
  ],
  [["a", "b"], false, /^a and b were damaged in Smol\./],
])("%j, newer %j", (damaged, isNewer, words) => {
  expect(checkResultLabel("Smol", damaged, isNewer)).toMatch(words);
});
