import { expect, test } from "vitest";
import type { ModelReference } from "../../runtime/engine/base/model-reference.ts";
import { modelReferenceOf } from "./model-reference.ts";

test.each<string | object>([
  "https://user:geh#eim@h:99999/x",
  "https://user:geh/eim@h/x",
  "//user:geheim@h:99999/x",
  { url: "https://user:geh/eim@h/x" },
  { id: "onnx", url: `https://user:geh${"eim".repeat(30)}@h/x` },
])("%j is refused without its password", (model) => {
  let message = "";
  try {
    modelReferenceOf(model as ModelReference, "auto", "https://page.example/");
  } catch (error) {
    ({ message } = error as Error);
  }
  expect(message).toContain("…@h");
  expect(message).toContain("is not a model");
  expect(message).not.toMatch(/geh|eim/);
});
