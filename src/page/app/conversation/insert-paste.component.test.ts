// @vitest-environment happy-dom
// An address of its own gives the file a worker of its own: Monaco may not load more parts after its first editor.
// @vitest-environment-options { "url": "http://localhost:3000/insert-paste" }
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
