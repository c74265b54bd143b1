/**
 * The text of a long turn, in Monaco, which lays out the lines in view only: a text field lays out all of them, a second for
 * 25,000 lines. Fetched when a turn is long.
 */
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { disableBracketColours, longSourceLanguage, monaco } from "../editor/monaco.ts";
import { useStores } from "../store/stores.ts";
import type { Turn } from "../store/turns.ts";
import { isDark } from "../theme.ts";
import { insertPaste, type TurnPaste } from "./insert-paste.ts";

export interface LongTurnTextProps {
  readonly turn: Turn;
  /** The paste for which this field replaces a text field, which had the focus. The turn has the pasted text already. */
  readonly paste: TurnPaste | null;
  /** Returns the text that the store has after the edit: the store refuses a text beyond the editor's limits. */
  readonly edit: (text: string) => string;
  readonly onBlur: () => void;
}

/** Monaco makes an object for each line that it wraps: 200 ms for 200,000 lines. */
const mostWrappedLines = 50_000;

export function LongTurnText({ turn, paste, edit, onBlur }: LongTurnTextProps) {
  const { settings } = useStores();
  const theme = useStore(settings, (state) => state.theme);
  const host = useRef<HTMLDivElement>(null);
  const shown = useRef<monaco.editor.ITextModel>(null);
  /** The text of the model, which joins its lines anew whenever it is asked. */
  const text = useRef(turn.text);
  const latest = useRef({ edit, onBlur });
  latest.current = { edit, onBlur };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; the effect below follows the text
  useEffect(() => {
    if (!host.current) return;
    const model = createModel(paste?.before ?? turn.text);
    if (paste) {
      insertPaste(model, paste);
      // The turn may have changed while this code was fetched.
      if (model.getValue() !== turn.text) replaceText(model, turn.text);
    }
    const editor = createEditor(host.current, model, `${turn.role} turn`);
    shown.current = model;
    const changes = model.onDidChangeContent(() => {
      const now = model.getValue();
      if (now === text.current) return;
      text.current = latest.current.edit(now);
      if (text.current !== now) queueMicrotask(() => replaceText(model, text.current));
    });
    const blurs = editor.onDidBlurEditorText(() => latest.current.onBlur());
    if (paste) {
      const end = model.getPositionAt(paste.start + paste.text.length);
      editor.setPosition(end);
      editor.revealPosition(end);
      editor.focus();
    }
    return () => {
      for (const part of [changes, blurs, editor, model]) part.dispose();
      shown.current = null;
    };
  }, []);
  useEffect(() => {
    if (!shown.current || turn.text === text.current) return;
    text.current = turn.text;
    replaceText(shown.current, turn.text);
  }, [turn.text]);
  useEffect(() => monaco.editor.setTheme(isDark(theme) ? "midtoken-dark" : "midtoken-light"), [theme]);
  return <div ref={host} className="turn-text turn-long" translate="no" />;
}

function createModel(text: string): monaco.editor.ITextModel {
  // In Monaco's "plaintext" brackets are paired: 110 ms for a key in a line of 500,000 characters.
  const model = monaco.editor.createModel(text, longSourceLanguage);
  // Line breaks stay those of the text, whichever most of its lines have.
  model.setEOL(monaco.editor.EndOfLineSequence.LF);
  Object.assign(model, { isTooLargeForTokenization: () => model.getLineCount() > mostWrappedLines });
  disableBracketColours(model);
  return model;
}

function createEditor(host: HTMLElement, model: monaco.editor.ITextModel, label: string) {
  return monaco.editor.create(host, {
    model,
    ariaLabel: label,
    automaticLayout: true,
    // Tab moves the focus on, as in any field.
    tabFocusMode: true,
    fontFamily: "JetBrains Mono Variable, ui-monospace, monospace",
    fontSize: 13,
    lineHeight: 20,
    lineNumbers: "off",
    glyphMargin: false,
    folding: false,
    lineDecorationsWidth: 8,
    minimap: { enabled: false },
    scrollBeyondLastLine: false,
    overviewRulerLanes: 0,
    renderLineHighlight: "none",
    wordWrap: "on",
    padding: { top: 4, bottom: 4 },
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
    fixedOverflowWidgets: true,
    matchBrackets: "never",
    occurrencesHighlight: "off",
    selectionHighlight: false,
    links: false,
    autoIndent: "none",
    autoClosingBrackets: "never",
    autoClosingQuotes: "never",
    autoSurround: "never",
    quickSuggestions: false,
    wordBasedSuggestions: "off",
    unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false, nonBasicASCII: false },
    stickyScroll: { enabled: false },
    bracketPairColorization: { enabled: false },
    guides: { indentation: false },
    contextmenu: false,
  });
}

function replaceText(model: monaco.editor.ITextModel, text: string): void {
  model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null);
}
