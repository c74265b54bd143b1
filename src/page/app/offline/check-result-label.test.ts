import { expect, test } from "vitest";
import { checkResultLabel } from "./check-result-label.ts";

test.each([
  [[], false, /^All saved files of Smol are intact\.$/],
  [[], true, /are intact\. A newer version is on the hub\.$/],
  [
    ["onnx/model.onnx"],
    false,
    /^Of Smol, onnx\/model\.onnx was damaged\. Damaged files were downloaded again/,
  ],
  [["a", "b"], false, /^Of Smol, a and b were damaged\./],
])("%j, newer %j", (damaged, isNewer, words) => {
  expect(checkResultLabel("Smol", damaged, isNewer)).toMatch(words);
});
