/**
 * The text of a turn: a text field, or `LongTurnText` for a long text that was pasted, opened or put here. A text that someone
 * types stays in the text field.
 */
import { type ClipboardEvent, useLayoutEffect, useRef, useState } from "react";
import { formatCount } from "../../../view/ui/format.ts";
import { lazyPart } from "../../../view/ui/lazy-part.tsx";
import { useStores } from "../store/stores.ts";
import type { Turn } from "../store/turns.ts";
import type { TurnPaste } from "./insert-paste.ts";
import type { LongTurnTextProps } from "./long-turn-text.tsx";

const LongTurnText = lazyPart<"LongTurnText", LongTurnTextProps>({
  part: "The field for a long text",
  load: () => import("./long-turn-text.tsx"),
  component: "LongTurnText",
});

const placeholders: Readonly<Record<Turn["role"], string>> = {
  system: "How the model should behave",
  user: "What you say",
  assistant: "What the model said",
  tool: "What the tool returned",
};

/** A longer text has a field of fixed height: measuring the text at every key takes long. */
const longText = 5_000;

/** From so many characters on a text that is pasted, opened or put here has the field for long texts. */
const longPaste = 20_000;

export function TurnText({ turn }: { turn: Turn }) {
  const { conversation, notices } = useStores();
  const [isLong, setLong] = useState(turn.text.length >= longPaste);
  /** A paste that the field which is drawn next inserts, so that it can undo the paste. */
  const paste = useRef<TurnPaste | null>(null);
  /** The text that was typed or pasted here last. A longer text from elsewhere has the field for long texts. */
  const lastTyped = useRef(turn.text);
  const edit = (text: string): string => {
    lastTyped.current = text;
    conversation.getState().edit(turn.id, text);
    // The store refuses a text beyond the editor's limits.
    return conversation.getState().turns.find(({ id }) => id === turn.id)?.text ?? text;
  };
  const chooseField = (text: string) => {
    paste.current = null;
    setLong(text.length >= longPaste);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a text from elsewhere changes the field
  useLayoutEffect(() => {
    if (turn.text !== lastTyped.current) chooseField(turn.text);
  }, [turn.text]);
  const pasteLong = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const pasted = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
    if (pasted.length < longPaste) return;
    event.preventDefault();
    const { value: before, selectionStart, selectionEnd } = event.currentTarget;
    const after = before.slice(0, selectionStart) + pasted + before.slice(selectionEnd);
    if (edit(after) !== after) return;
    paste.current = { before, start: selectionStart, end: selectionEnd, text: pasted };
    setLong(true);
    const undo = () => {
      const now = conversation.getState().turns.find(({ id }) => id === turn.id)?.text;
      if (now === after) chooseField(edit(before));
      else notices.getState().fail("Not undone: you have edited the prompt since.");
    };
    // Ctrl+Z in the field for long texts undoes the paste, too.
    notices.getState().show(`Pasted ${formatCount(pasted.length)} characters.`, { label: "Undo", run: undo });
  };
  if (!isLong) return <ShortTurnText turn={turn} edit={edit} onPaste={pasteLong} />;
  return (
    <LongTurnText
      turn={turn}
      paste={paste.current}
      edit={edit}
      onBlur={() => chooseField(lastTyped.current)}
      placeholder={<OpeningField hasFocus={paste.current !== null} />}
    />
  );
}

/** Stands where the field will be. It takes the focus from the field before, so that keys are not taken for shortcuts of the page. */
function OpeningField({ hasFocus }: { readonly hasFocus: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  return (
    <textarea
      ref={field}
      className="turn-text turn-long"
      aria-label="Loading the whole text"
      readOnly
      value="Loading the whole text …"
    />
  );
}

interface ShortTurnTextProps {
  readonly turn: Turn;
  readonly edit: (text: string) => string;
  readonly onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
}

/** React does not control this field: it would write the whole text into the document again at every key. */
function ShortTurnText({ turn, edit, onPaste }: ShortTurnTextProps) {
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
      onPaste={onPaste}
      onChange={({ target }) => show(target, edit(target.value))}
    />
  );
}

function show(field: HTMLTextAreaElement | null, text: string): void {
  if (field && field.value !== text) field.value = text;
}
