import { expect, test } from "vitest";
import { checkResultLabel } from "./check-result-label.ts";

test.each([
  [[], false, /^All saved files of Smol are intact\.$/],
  [[], true, /are intact\. A newer version is on Hugging Face\.$/],
  [
    ["onnx/model.onnx"],
    false,
    /^A file of Smol was damaged: onnx\/model\.onnx\. The file was downloaded again, or removed/,
  ],
  [["a", "b"], false, /^Damaged files of Smol: a, b\./],
])("%j, newer %j", (damaged, isNewer, words) => {
  expect(checkResultLabel("Smol", damaged, isNewer)).toMatch(words);
});
