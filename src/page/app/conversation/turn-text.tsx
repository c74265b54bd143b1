/** The text of a turn. It may have 500,000 characters, so nothing here grows with the text at every key but the browser's own work. */
import { useLayoutEffect, useRef, useState } from "react";
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

/** Not controlled by React, which would write the whole text into the document again at every key. */
export function TurnText({ turn }: { turn: Turn }) {
  const { conversation } = useStores();
  const field = useRef<HTMLTextAreaElement>(null);
  const [first] = useState(turn.text);
  useLayoutEffect(() => show(field.current, turn.text), [turn.text]);
  const isLong = turn.text.length > longText;
  return (
    <textarea
      ref={field}
      className={isLong ? "turn-text turn-long" : "turn-text"}
      aria-label={`${turn.role} turn`}
      rows={1}
      placeholder={placeholders[turn.role]}
      defaultValue={first}
      onChange={({ target }) => {
        conversation.getState().edit(turn.id, target.value);
        // A text beyond the editor's limits was refused.
        const now = conversation.getState().turns.find(({ id }) => id === turn.id);
        show(target, now?.text ?? target.value);
      }}
    />
  );
}

function show(field: HTMLTextAreaElement | null, text: string): void {
  if (field && field.value !== text) field.value = text;
}
