// @vitest-environment happy-dom
import { editor } from "monaco-editor/editor";
import { expect, test } from "vitest";
import { insertPaste } from "./insert-paste.ts";

test("Undo takes a long paste back, and Redo puts it in again", async () => {
  const before = "first\nbefore middle after\nlast";
  const text = "line\n".repeat(10_000);
  const model = editor.createModel(before);
  insertPaste(model, { before, start: 13, end: 19, text });
  const after = `first\nbefore ${text} after\nlast`;
  expect(model.getValue()).toBe(after);
  await model.undo();
  expect(model.getValue()).toBe(before);
  await model.redo();
  expect(model.getValue()).toBe(after);
  model.dispose();
});
