/** Puts a long paste into the Monaco model of a turn, as a step that Undo takes back. */
import { type editor, Selection } from "monaco-editor/editor";

/** A text that was pasted into the field of a turn. */
export interface TurnPaste {
  /** The text of the turn before the paste. */
  readonly before: string;
  /** The selection that the pasted text replaced. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `model` has the text before the paste. */
export function insertPaste(model: editor.ITextModel, { start, end, text }: TurnPaste): void {
  const replaced = Selection.fromPositions(model.getPositionAt(start), model.getPositionAt(end));
  model.pushStackElement();
  model.pushEditOperations([replaced], [{ range: replaced, text }], () => null);
  model.pushStackElement();
}
