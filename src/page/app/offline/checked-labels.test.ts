import { expect, test } from "vitest";
import { checkedLabels } from "./checked-labels.ts";

test.each([
  [[], false, /^All that is kept of Smol is as it came\.$/],
  [[], true, /as it came\. A newer version is on the hub\.$/],
  [["onnx/model.onnx"], false, /^Of Smol, onnx\/model\.onnx was damaged\. What was wrong was fetched again/],
  [["a", "b"], false, /^Of Smol, a and b were damaged\./],
])("%j, newer %j", (damaged, isNewer, words) => {
  expect(checkedLabels("Smol", damaged, isNewer)).toMatch(words);
});
