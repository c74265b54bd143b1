/** Monaco on the open mod. One model per mod, so that undo and scroll survive a change of tabs. */
import { useEffect, useLayoutEffect, useRef } from "react";
import { useStore } from "zustand";
import type { UserMod } from "../store/mods-store.ts";
import { type Stores, useStores } from "../store/stores.ts";
import { isDark } from "../theme.ts";
import { markRunFaults, watchTypeProblems } from "./editor-problems.ts";
import { useLineMarks } from "./line-marks.ts";
import { type LongPastes, watchLongPastes } from "./long-pastes.ts";
import { disableBracketColours, languageOfEditedMod, monaco, startLanguageService } from "./monaco.ts";
import { takeSelection, takeSourceBefore } from "./plain-field.ts";
import type { SourcePlace } from "./source-place.ts";
import { isLongSource, mostDrawnLineCharacters, type SourceSize, sizeOfSource } from "./source-sizes.ts";
import "./code-editor.css";

/** The keys that leave the editor. Monaco handles them (`editor.action.toggleTabFocusMode`). */
const leaveHint = `To leave the editor, press ${/Mac/.test(navigator.platform) ? "⌃⇧M" : "Ctrl M"}, then Tab`;

type Editor = monaco.editor.IStandaloneCodeEditor;

interface CodeEditorProps {
  readonly goTo: SourcePlace | null;
  /** A step was selected here. */
  readonly onShowStep: () => void;
}

export function CodeEditor({ goTo, onShowStep }: CodeEditorProps) {
  const stores = useStores();
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(null);
  const longPastes = useRef<LongPastes>(null);
  const { mods, active } = useStore(stores.mods);
  const problems = useStore(stores.problems, (state) => state.problems);

  // The editor comes in one task in place of a plain field, so that no key is pressed between the two.
  useLayoutEffect(() => {
    if (!host.current) return;
    const created = createEditor(host.current, stores);
    editor.current = created;
    const stopWatchingTypes = watchTypeProblems(stores);
    const element = host.current;
    // Tab moves the focus on, as in any field, until someone writes here: then Tab indents, and a hint says how to leave.
    const setWriting = (isWriting: boolean) => {
      element.dataset.leave = isWriting ? leaveHint : "";
      created.updateOptions({ tabFocusMode: !isWriting });
    };
    const pastes = watchLongPastes(created, {
      onPaste: (text) => adaptBeforePaste(created, text),
      // The store has the whole text from the start: a run or a closed page meanwhile never sees a part of the paste.
      onStart(expected) {
        const id = openModOf(created);
        if (id) stores.mods.getState().edit(id, expected);
      },
    });
    longPastes.current = pastes;
    const contentListener = created.onDidChangeModelContent(() => {
      const model = created.getModel();
      const id = openModOf(created);
      if (!model || !id || pastes.expected() !== null) return;
      adaptToLength(created, model);
      stores.mods.getState().edit(id, model.getValue());
      if (created.hasTextFocus()) setWriting(true);
    });
    // Focusing the editor, or pointing at the source, starts the check of the source.
    const languageServiceTriggers = [
      created.onDidFocusEditorText(startLanguageService),
      created.onMouseMove(startLanguageService),
    ];
    const blurListener = created.onDidBlurEditorText(() => setWriting(false));
    return () => {
      blurListener.dispose();
      for (const trigger of languageServiceTriggers) trigger.dispose();
      pastes.dispose();
      contentListener.dispose();
      stopWatchingTypes();
      created.dispose();
      editor.current = null;
    };
  }, [stores]);

  useLayoutEffect(() => syncModels(mods, longPastes.current), [mods]);
  useLayoutEffect(() => {
    const current = stores.mods.getState().mods.find(({ id }) => id === active);
    if (current && editor.current) {
      const model = modelOf(current);
      adaptToLength(editor.current, model);
      editor.current.setModel(model);
      editor.current.updateOptions({ ariaLabel: `Source of ${current.name}` });
      focusAsField(editor.current, model, current.id);
    }
  }, [active, stores]);
  useEditorTheme(stores);
  useEffect(() => markRunFaults(mods, problems, modelOf), [mods, problems]);
  useEffect(() => {
    if (goTo && goTo.mod === active && editor.current) {
      editor.current.setPosition({ lineNumber: goTo.line, column: 1 });
      editor.current.revealLineInCenterIfOutsideViewport(goTo.line);
      editor.current.focus();
    }
  }, [goTo, active]);
  useLineMarks(editor, onShowStep);
  return <div ref={host} className="code-editor" translate="no" />;
}

function useEditorTheme({ settings }: Stores): void {
  const theme = useStore(settings, (state) => state.theme);
  useEffect(() => {
    const apply = () => monaco.editor.setTheme(isDark(theme) ? "midtoken-dark" : "midtoken-light");
    apply();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", apply);
    return () => scheme.removeEventListener("change", apply);
  }, [theme]);
}

function createEditor(host: HTMLElement, { notices }: Stores): Editor {
  const created = monaco.editor.create(host, {
    model: null,
    automaticLayout: true,
    tabFocusMode: true,
    fontFamily: "JetBrains Mono Variable, ui-monospace, monospace",
    fontSize: 13,
    lineHeight: 20,
    tabSize: 2,
    renderFinalNewline: "on",
    minimap: { enabled: false },
    scrollBeyondLastLine: false,
    overviewRulerLanes: 0,
    folding: false,
    lineNumbersMinChars: 3,
    lineDecorationsWidth: 8,
    renderLineHighlight: "line",
    wrappingIndent: "indent",
    padding: { top: 8, bottom: 8 },
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
    fixedOverflowWidgets: true,
    // For the marks of what acted (line-marks.ts).
    glyphMargin: true,
    stickyScroll: { enabled: false },
    bracketPairColorization: { enabled: false },
    // A line of more is cut, with a button to see it whole: all of it would be drawn and coloured at once.
    stopRenderingLineAfter: mostDrawnLineCharacters,
    maxTokenizationLineLength: mostDrawnLineCharacters,
    guides: { indentation: false },
    accessibilitySupport: "auto",
    // A mod may come from a stranger's link. Unless told, Monaco leaves strings and comments out, where such characters hide.
    unicodeHighlight: {
      invisibleCharacters: true,
      ambiguousCharacters: true,
      includeStrings: true,
      includeComments: true,
    },
  });
  // Without a command, the browser would ask where to save the page.
  created.addCommand(monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyS, () =>
    notices.getState().show("Mods are saved as you type. Earlier versions are in the mod’s menu."),
  );
  return created;
}

/** If the plain field of this mod had the focus, the editor in its place gets the focus, with the same selection. */
function focusAsField(editor: Editor, model: monaco.editor.ITextModel, mod: string): void {
  const selection = takeSelection();
  if (selection?.mod !== mod) return;
  editor.setSelection(
    monaco.Range.fromPositions(model.getPositionAt(selection.start), model.getPositionAt(selection.end)),
  );
  editor.focus();
}

/** Gives the model and the editor what a source of this length can have: see `isLongSource`. */
function adaptToLength(editor: Editor, model: monaco.editor.ITextModel): void {
  const size = sizeOfModel(model);
  setOptionsForSize(editor, model, { size, hasLongLine: !isLongSource(size) && hasLongLine(model) });
}

/** Before Monaco inserts a long text: it would wrap and colour each line, only to draw the lines again without both. */
function adaptBeforePaste(editor: Editor, pasted: string): void {
  const model = editor.getModel();
  if (!model) return;
  const now = sizeOfModel(model);
  const added = sizeOfSource(pasted);
  const size = { characters: now.characters + added.characters, lines: now.lines + added.lines - 1 };
  if (isLongSource(size)) setOptionsForSize(editor, model, { size, hasLongLine: false });
}

interface SourceShape {
  readonly size: SourceSize;
  /** Ignored for a long source. */
  readonly hasLongLine: boolean;
}

function setOptionsForSize(
  editor: Editor,
  model: monaco.editor.ITextModel,
  { size, hasLongLine }: SourceShape,
): void {
  const language = languageOfEditedMod(size);
  if (model.getLanguageId() !== language) monaco.editor.setModelLanguage(model, language);
  const isLong = isLongSource(size);
  editor.updateOptions({
    // Monaco would measure every line of a long source before the first paint. A vector's text would fill the editor.
    wordWrap: isLong || hasLongLine ? "off" : "on",
    matchBrackets: isLong ? "never" : "always",
    occurrencesHighlight: isLong ? "off" : "singleFile",
    selectionHighlight: !isLong,
    links: !isLong,
    autoIndent: isLong ? "none" : "full",
    wordBasedSuggestions: isLong ? "off" : "matchingDocuments",
  });
}

/** The longest line that is wrapped, in UTF-16 units. */
const longestWrapped = 400;

function hasLongLine(model: monaco.editor.ITextModel): boolean {
  for (let line = 1; line <= model.getLineCount(); line += 1) {
    if (model.getLineLength(line) > longestWrapped) return true;
  }
  return false;
}

function sizeOfModel(model: monaco.editor.ITextModel): SourceSize {
  return { characters: model.getValueLength(), lines: model.getLineCount() };
}

const folder = "/mods/";

function uriOf(mod: UserMod) {
  return monaco.Uri.parse(`file://${folder}${mod.id}.ts`);
}

/** The id of the mod that a Monaco model's address names; null for the SDK's declarations. */
function idOf(uri: monaco.Uri): string | null {
  return uri.path.startsWith(folder) ? uri.path.slice(folder.length).replace(/\.ts$/, "") : null;
}

function openModOf(editor: Editor): string | null {
  const model = editor.getModel();
  return model && idOf(model.uri);
}

function modelOf(mod: UserMod): monaco.editor.ITextModel {
  const open = monaco.editor.getModel(uriOf(mod));
  if (open) return open;
  const before = takeSourceBefore(mod.id);
  const created = monaco.editor.createModel(
    before ?? mod.source,
    languageOfEditedMod(sizeOfSource(mod.source)),
    uriOf(mod),
  );
  // Monaco asks this before it makes an object for each line, which only folded and wrapped lines need. It has no
  // option for it, and its own limit is 300,000 lines (`viewModelImpl.js`; `bench -- sandbox --only editor` shows
  // whether it still asks).
  Object.assign(created, { isTooLargeForTokenization: () => isLongSource(sizeOfModel(created)) });
  disableBracketColours(created);
  if (before !== undefined) {
    // A change that Undo takes back, and that does not become one with the next change.
    replaceChanged(created, mod.source);
    created.pushStackElement();
  }
  return created;
}

/** Makes one Monaco model per mod, with the text that the store has, and disposes of the models of deleted mods. */
function syncModels(mods: readonly UserMod[], longPastes: LongPastes | null): void {
  for (const mod of mods) {
    const model = modelOf(mod);
    if (model.getValue() === mod.source || longPastes?.expected() === mod.source) continue;
    longPastes?.finish();
    replaceChanged(model, mod.source);
  }
  for (const model of monaco.editor.getModels()) {
    const id = idOf(model.uri);
    if (id !== null && !mods.some((mod) => mod.id === id)) model.dispose();
  }
}

/**
 * Replaces only the part of the model's text that differs from `text`, so that the cursor and the undo history stay while
 * another tab writes to the same mod.
 */
function replaceChanged(model: monaco.editor.ITextModel, text: string): void {
  const old = model.getValue();
  const shorterLength = Math.min(old.length, text.length);
  let start = 0;
  while (start < shorterLength && old[start] === text[start]) start += 1;
  let end = 0;
  while (end < shorterLength - start && old[old.length - 1 - end] === text[text.length - 1 - end]) end += 1;
  const range = monaco.Range.fromPositions(model.getPositionAt(start), model.getPositionAt(old.length - end));
  model.pushEditOperations([], [{ range, text: text.slice(start, text.length - end) }], () => null);
}
