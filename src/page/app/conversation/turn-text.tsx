/** The text of a turn. A text may have 500,000 characters, so at each key only the browser's own work grows with its length. */
import { type ClipboardEvent, useLayoutEffect, useRef, useState } from "react";
import { formatCount } from "../../../view/ui/format.ts";
import { useStores } from "../store/stores.ts";
import type { Turn } from "../store/turns.ts";

const placeholders: Readonly<Record<Turn["role"], string>> = {
  system: "How the model should behave",
  user: "What you say",
  assistant: "What the model said",
  tool: "What the tool answered",
};

/** A longer text has a field of fixed height: measuring the text at every key takes long. */
const longText = 5_000;

/** A longer text that is pasted goes around Chromium's own insertion, which makes an element for each line: seconds for 1 MB. */
const longPaste = 20_000;

/** React does not control this field: it would write the whole text into the document again at every key. */
export function TurnText({ turn }: { turn: Turn }) {
  const { conversation, notices } = useStores();
  const field = useRef<HTMLTextAreaElement>(null);
  const [first] = useState(turn.text);
  useLayoutEffect(() => show(field.current, turn.text), [turn.text]);
  const isLong = turn.text.length > longText;
  const edit = (text: string): string => {
    conversation.getState().edit(turn.id, text);
    // The store refuses a text beyond the editor's limits.
    return conversation.getState().turns.find(({ id }) => id === turn.id)?.text ?? text;
  };
  const pasteLong = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
    if (pasted.length < longPaste) return;
    event.preventDefault();
    const { currentTarget: target } = event;
    const { value: before, selectionStart, selectionEnd } = target;
    const after = before.slice(0, selectionStart) + pasted + before.slice(selectionEnd);
    if (edit(after) !== after) return;
    target.setRangeText(pasted, selectionStart, selectionEnd, "end");
    const undo = () => {
      if (target.value === after) show(target, edit(before));
      else notices.getState().show("Not undone: you have edited the prompt since.");
    };
    // The browser's own undo does not know this insertion.
    notices.getState().show(`Pasted ${formatCount(pasted.length)} characters.`, { label: "Undo", run: undo });
  };
  return (
    <textarea
      ref={field}
      className={isLong ? "turn-text turn-long" : "turn-text"}
      aria-label={`${turn.role} turn`}
      rows={1}
      placeholder={placeholders[turn.role]}
      defaultValue={first}
      onPaste={pasteLong}
      onChange={({ target }) => show(target, edit(target.value))}
    />
  );
}

function show(field: HTMLTextAreaElement | null, text: string): void {
  if (field && field.value !== text) field.value = text;
}
