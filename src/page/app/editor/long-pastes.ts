/**
 * Inserts a long paste in several tasks, since Monaco would hold the page up: 76,000 lines at once take it 280 ms. Undo and
 * Redo have the paste as one step, and what the user does in the editor meanwhile comes after the whole text.
 */
import { type IRange, editor as monacoEditor, Selection } from "monaco-editor/editor";
import { nextTask } from "../../../core/base/next-task.ts";
import { type ResumableWork, runToEnd } from "../../../core/base/resumable-work.ts";

type Editor = monacoEditor.IStandaloneCodeEditor;

/** Lines that one task inserts: Monaco takes some 50 ms for them. */
const linesAtOnce = 15_000;

/** Characters that one task inserts, unless a single line is longer. */
const charactersAtOnce = 250_000;

export interface LongPastes {
  /** Begins to insert a long text in place of the selection. Returns false if Monaco should paste the text. */
  insert(text: string): boolean;
  /** The text that the open model will have. Null if no paste is being inserted, or only its last piece is missing. */
  expected(): string | null;
  /** Inserts the rest of the paste at once. */
  finish(): void;
  /** Inserts the rest of the paste and listens to the editor no more. */
  dispose(): void;
}

interface PasteListener {
  /** Called with every text that is pasted, before it is inserted. */
  onPaste(text: string): void;
  /** Called before the first piece of a long paste, with the text that the model will have after the last piece. */
  onStart(expected: string): void;
}

/** From now on the editor inserts what is pasted into it, if it is long, in several tasks. */
export function watchLongPastes(editor: Editor, listener: PasteListener): LongPastes {
  let expected: string | null = null;
  let rest: ResumableWork<void> | null = null;

  const finish = () => {
    const steps = rest;
    rest = null;
    if (steps) runToEnd(steps);
  };

  const leaveOut = () => {
    rest?.return();
    rest = null;
    expected = null;
  };

  const insert = (pasted: string) => {
    finish();
    const paste = preparePaste(editor, pasted);
    if (!paste) return false;
    expected = paste.expected;
    listener.onStart(expected);
    const steps = insertPieces(editor, paste, () => {
      expected = null;
    });
    rest = steps;
    void runStepPerTask(steps);
    return true;
  };

  const onPaste = (event: ClipboardEvent) => {
    finish();
    // The field of Monaco's search lies in the editor, too.
    if (!editor.hasTextFocus()) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    listener.onPaste(text);
    if (!insert(text)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  const listening = new AbortController();
  const options = { capture: true, signal: listening.signal };
  const host = editor.getContainerDomNode();
  host.addEventListener("paste", onPaste, options);
  for (const type of ["keydown", "beforeinput", "cut", "drop", "pointerdown"])
    host.addEventListener(type, finish, options);
  // No other model follows if the model is being disposed of: its mod was deleted.
  const modelListener = editor.onWillChangeModel(({ newModelUrl }) => (newModelUrl ? finish() : leaveOut()));
  const dispose = () => {
    finish();
    listening.abort();
    modelListener.dispose();
  };
  return { insert, expected: () => expected, finish, dispose };
}

/** Runs one step in each of the next tasks, so that the listener's work has a task of its own, too. */
async function runStepPerTask(steps: ResumableWork<void>): Promise<void> {
  do await nextTask();
  while (!steps.next().done);
}

interface PreparedPaste {
  readonly selection: Selection;
  readonly pieces: readonly string[];
  /** The model's text after the paste. */
  readonly expected: string;
}

/** Returns null if Monaco should paste the text. */
function preparePaste(editor: Editor, pasted: string): PreparedPaste | null {
  const model = editor.getModel();
  const [selection, ...others] = editor.getSelections() ?? [];
  const isReadOnly = editor.getOption(monacoEditor.EditorOption.readOnly);
  if (!model || !selection || others.length > 0 || isReadOnly) return null;
  const text = pasted.replace(/\r\n|\r|\n/g, model.getEOL());
  const pieces = piecesOfPaste(text);
  if (pieces.length < 2) return null;
  const before = model.getValue();
  const start = model.getOffsetAt(selection.getStartPosition());
  const end = model.getOffsetAt(selection.getEndPosition());
  return { selection, pieces, expected: before.slice(0, start) + text + before.slice(end) };
}

/** @param beforeLast called before the last piece, so that listeners of the editor treat this piece as any other edit */
function* insertPieces(
  editor: Editor,
  { pieces, selection }: PreparedPaste,
  beforeLast: () => void,
): ResumableWork<void> {
  let range: IRange = selection;
  let end = selection;
  editor.pushUndoStop();
  for (const [place, piece] of pieces.entries()) {
    if (place === pieces.length - 1) beforeLast();
    editor.executeEdits("paste", [{ range, text: piece }], ([inverse]) => {
      if (inverse) end = Selection.fromPositions(inverse.range.getEndPosition());
      return [end];
    });
    range = end;
    yield (place + 1) / pieces.length;
  }
  editor.revealPosition(end.getPosition());
  editor.pushUndoStop();
}

/** Cuts a text at ends of lines into pieces for one task each. */
export function piecesOfPaste(text: string): readonly string[] {
  const pieces: string[] = [];
  let start = 0;
  let lines = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    lines += 1;
    const end = at + 1;
    if (lines < linesAtOnce && end - start < charactersAtOnce) continue;
    pieces.push(text.slice(start, end));
    start = end;
    lines = 0;
  }
  if (start < text.length) pieces.push(text.slice(start));
  return pieces;
}
