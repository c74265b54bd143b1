// @vitest-environment happy-dom
// An address of its own gives the file a worker of its own: Monaco may not load more parts after its first editor.
// @vitest-environment-options { "url": "http://localhost:3000/long-pastes" }
/** Monaco's own editor inserts a long paste in pieces: the text, undo and cursor afterwards, and input between two pieces. */
import { editor as monacoEditor, Range, Selection } from "monaco-editor/editor";
import { expect, test, vi } from "vitest";
import { afterEachTest } from "../../../../scripts/unit-tests/after-each-test.ts";
import { piecesOfPaste, watchLongPastes } from "./long-pastes.ts";

type Model = monacoEditor.ITextModel;

const disposed: (() => void)[] = [];
afterEachTest(() => {
  for (const dispose of disposed.splice(0)) dispose();
});

const ofLines = (count: number, end = "\n") =>
  Array.from({ length: count }, (_, line) => `line ${line}${end}`).join("");
const long = `${ofLines(40_000)}the end`;

/** happy-dom has no canvas for the ruler and the overview. */
const canvasless = { overviewRulerLanes: 0, minimap: { enabled: false } };

/** An editor with the text "before middle after", of which "middle" is selected. */
function openEditor(eol = "\n", options: monacoEditor.IEditorOptions = {}) {
  const host = document.createElement("div");
  document.body.append(host);
  const model = monacoEditor.createModel(`first${eol}before middle after${eol}last`);
  const editor = monacoEditor.create(host, { model, ...canvasless, ...options });
  editor.setSelection(new Selection(2, 8, 2, 14));
  // Undo brings the selection back only to an editor that has the focus.
  editor.focus();
  expect(editor.hasTextFocus()).toBe(true);
  const started: string[] = [];
  const pastes = watchLongPastes(editor, {
    onPaste() {},
    onStart: (expected) => started.push(expected),
  });
  disposed.push(() => {
    pastes.dispose();
    editor.dispose();
    for (const each of monacoEditor.getModels()) each.dispose();
    host.remove();
  });
  return { host, model, editor, pastes, started };
}

type Opened = ReturnType<typeof openEditor>;

const pasteByMonaco = ({ editor }: Opened, text: string) => editor.trigger("keyboard", "paste", { text });
const undo = async (model: Model) => model.undo();
const redo = async (model: Model) => model.redo();

/** Begins to insert the long text. A part of it is there, and a part is not. */
async function beginPaste(opened: Opened): Promise<string> {
  const before = opened.model.getValueLength();
  expect(opened.pastes.insert(long)).toBe(true);
  await new Promise<void>((resolve) => {
    const listener = opened.editor.onDidChangeModelContent(() => {
      listener.dispose();
      resolve();
    });
  });
  const [expected = ""] = opened.started;
  expect(opened.model.getValueLength()).toBeGreaterThan(before);
  expect(opened.model.getValueLength()).toBeLessThan(expected.length);
  return expected;
}

test.each([
  ["LF into LF", "\n", long],
  ["CRLF into LF", "\n", long.replaceAll("\n", "\r\n")],
  ["LF into CRLF", "\r\n", long],
  ["lone CR into LF", "\n", long.replaceAll("\n", "\r")],
])("pieces leave text, cursor, Undo and Redo as one paste by Monaco: %s", async (_, eol, text) => {
  const whole = openEditor(eol);
  pasteByMonaco(whole, text);
  const after = whole.model.getValue();
  const selectionAfter = whole.editor.getSelection();
  await undo(whole.model);
  const pieces = openEditor(eol);
  const before = pieces.model.getValue();
  expect(pieces.pastes.insert(text)).toBe(true);
  await vi.waitFor(() => expect(pieces.model.getValueLength()).toBe(after.length));
  expect(pieces.model.getValue() === after).toBe(true);
  expect(pieces.started[0] === after).toBe(true);
  expect(pieces.editor.getSelection()).toEqual(selectionAfter);

  await undo(pieces.model);
  expect(pieces.model.getValue() === before).toBe(true);
  expect(pieces.editor.getSelection()).toEqual(whole.editor.getSelection());
  await redo(pieces.model);
  expect(pieces.model.getValue() === after).toBe(true);
  expect(pieces.editor.getSelection()).toEqual(selectionAfter);
});

test("the text of the whole paste is known before the last piece is inserted", async () => {
  const opened = openEditor();
  const reported: (string | null)[] = [];
  opened.editor.onDidChangeModelContent(() => reported.push(opened.pastes.expected()));
  const expected = await beginPaste(opened);
  await vi.waitFor(() => expect(reported.length).toBe(3));
  expect(reported.map((each) => each === expected)).toEqual([true, true, false]);
  expect(reported[2]).toBeNull();
});

test.each(["keydown", "beforeinput", "pointerdown", "cut", "paste", "drop"])(
  "the whole text is there before the editor hears of a %s",
  async (type) => {
    const opened = openEditor();
    const expected = await beginPaste(opened);
    const focused = opened.host.querySelector("textarea, .native-edit-context");
    focused?.dispatchEvent(new Event(type, { bubbles: true }));
    expect(opened.model.getValue() === expected).toBe(true);
  },
);

test("text that is typed after a part of the paste stands behind the paste and is undone before it", async () => {
  const opened = openEditor();
  const before = opened.model.getValue();
  const expected = await beginPaste(opened);
  opened.host.firstElementChild?.dispatchEvent(new Event("keydown", { bubbles: true }));
  opened.editor.trigger("keyboard", "type", { text: "typed" });
  expect(opened.model.getValue() === expected.replace("the end after", "the endtyped after")).toBe(true);
  await undo(opened.model);
  expect(opened.model.getValue() === expected).toBe(true);
  await undo(opened.model);
  expect(opened.model.getValue()).toBe(before);
});

test("a second paste follows the first", async () => {
  const opened = openEditor();
  const expected = await beginPaste(opened);
  expect(opened.pastes.insert(long)).toBe(true);
  const both = expected.replace("the end after", `the end${long} after`);
  await vi.waitFor(() => expect(opened.model.getValueLength()).toBe(both.length));
  expect(opened.model.getValue() === both).toBe(true);
  await undo(opened.model);
  expect(opened.model.getValue() === expected).toBe(true);
});

test.each<[string, (opened: Opened) => void]>([
  ["the editor shows another mod", ({ editor }) => editor.setModel(monacoEditor.createModel("another mod"))],
  [
    "the editor is disposed of",
    ({ editor, pastes }) => {
      pastes.dispose();
      editor.dispose();
    },
  ],
])("once %s, the former model has the whole paste, and one Undo takes it back", async (_, leave) => {
  const opened = openEditor();
  const before = opened.model.getValue();
  const expected = await beginPaste(opened);
  leave(opened);
  expect(opened.model.getValue() === expected).toBe(true);
  await undo(opened.model);
  expect(opened.model.getValue()).toBe(before);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(opened.model.getValue()).toBe(before);
  expect(opened.editor.getModel()?.getValue() ?? "another mod").toBe("another mod");
});

test("a model that is disposed of in the middle of a paste leaves the editor in order", async () => {
  const opened = openEditor();
  await beginPaste(opened);
  opened.model.dispose();
  expect(opened.editor.getModel()).toBeNull();
  opened.editor.setModel(monacoEditor.createModel("another mod"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(opened.editor.getValue()).toBe("another mod");
});

test("short texts, several cursors and editors that are only read are left to Monaco", () => {
  const short = openEditor();
  expect(short.pastes.insert(ofLines(15_000))).toBe(false);
  expect(short.pastes.insert("one line, however long".repeat(50_000))).toBe(false);
  const several = openEditor();
  several.editor.setSelections([new Selection(1, 1, 1, 1), new Selection(2, 1, 2, 1)]);
  expect(several.pastes.insert(long)).toBe(false);
  const readOnly = openEditor("\n", { readOnly: true });
  expect(readOnly.pastes.insert(long)).toBe(false);
  for (const { started, model } of [short, several, readOnly]) {
    expect(started).toEqual([]);
    expect(model.getValueInRange(new Range(2, 8, 2, 14))).toBe("middle");
  }
});

test("pieces end at ends of lines and have a limited number of lines and characters", () => {
  for (const text of [long, ofLines(30_000), `${"x".repeat(999)}\n`.repeat(1_000), "", "one line"]) {
    const pieces = piecesOfPaste(text);
    expect(pieces.join("") === text).toBe(true);
    for (const piece of pieces.slice(0, -1)) expect(piece.endsWith("\n")).toBe(true);
    for (const piece of pieces) {
      expect(piece.split("\n").length).toBeLessThanOrEqual(15_001);
      expect(piece.length).toBeLessThanOrEqual(250_000);
    }
  }
  expect(piecesOfPaste(long)).toHaveLength(3);
  expect(piecesOfPaste(ofLines(30_000))).toHaveLength(2);
});
