/** Marks beside the lines of the open mod: how often each line acted in the shown run. A click leads to its steps. */
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import { nextActedToken } from "../../../core/trace/model/acted-lines.ts";
import { selectToken } from "../../../core/trace/model/selection.ts";
import { liveUpdateMs, useThrottledValue } from "../../../view/timeline/use-at-most-every.ts";
import { countWithNoun } from "../../../view/ui/format.ts";
import { type Stores, useStores } from "../store/stores.ts";
import { type ActedLinesOfMod, actedLinesOfMod } from "./lines-of-mod.ts";
import { monaco } from "./monaco.ts";
import "./line-marks.css";

type Editor = monaco.editor.IStandaloneCodeEditor;

const none: ActedLinesOfMod = { lines: new Map(), isEarlier: false };

/** @param onShow called when a step was selected, so that it can be brought into view */
export function useLineMarks(editor: React.RefObject<Editor | null>, onShow: () => void): void {
  const stores = useStores();
  const isRunning = useStore(stores.run, ({ status }) => status === "running" || status === "paused");
  const trace = useStore(stores.run, (state) => state.trace);
  const version = useStore(stores.run, (state) => state.version);
  const source = useStore(stores.mods, ({ mods, active }) => mods.find(({ id }) => id === active)?.source);
  const followed = useThrottledValue(version, isRunning ? liveUpdateMs : 0);
  const marks = useRef(new Map<number, LineMark>());
  const show = useRef(onShow);
  show.current = onShow;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the trace grows in place; `followed` says so
  useEffect(() => {
    const current = editor.current;
    if (!current) return;
    draw(current, marks.current, linesOf(stores), (line) => showNext(stores, line) && show.current());
  }, [trace, followed, source, stores, editor]);

  useEffect(() => {
    const current = editor.current;
    if (!current) return;
    const action = current.addAction({
      id: "midtoken.next-step-of-line",
      label: "Go to the next step where this line had an effect",
      keybindings: [monaco.KeyMod.Alt | monaco.KeyCode.F9],
      contextMenuGroupId: "navigation",
      run(at) {
        const line = at.getPosition()?.lineNumber;
        if (line !== undefined && showNext(stores, line)) show.current();
        else stores.notices.getState().fail(`Line ${line ?? 1} had no effect in the run that is shown.`);
      },
    });
    return () => action.dispose();
  }, [stores, editor]);
}

/** The acting lines of the open mod, also if it was edited since it ran. */
function linesOf(stores: Stores): ActedLinesOfMod {
  const { mods, active } = stores.mods.getState();
  const open = mods.find(({ id }) => id === active);
  const { trace, modIds } = stores.run.getState();
  return open ? actedLinesOfMod(trace, modIds, open) : none;
}

/** Selects the next token at which the line acted. Returns false if there is none. */
function showNext(stores: Stores, line: number): boolean {
  const { trace, selection, select } = stores.run.getState();
  const tokens = linesOf(stores).lines.get(line) ?? [];
  const next = nextActedToken(tokens, selection?.cursor ?? null, trace.tokens.text.length);
  if (next !== null) select(selectToken(next));
  return next !== null;
}

interface LineMark extends monaco.editor.IGlyphMarginWidget {
  readonly node: HTMLElement;
}

/** Most marks beside the lines of one mod. */
const mostMarks = 500;

function draw(
  editor: Editor,
  marks: Map<number, LineMark>,
  { lines, isEarlier }: ActedLinesOfMod,
  onClick: (line: number) => void,
): void {
  const lineCount = editor.getModel()?.getLineCount() ?? 0;
  for (const [line, mark] of marks) {
    if (lines.has(line) && line <= lineCount) continue;
    editor.removeGlyphMarginWidget(mark);
    marks.delete(line);
  }
  for (const [line, tokens] of [...lines].slice(0, mostMarks)) {
    if (line > lineCount) continue;
    let mark = marks.get(line);
    if (!mark) {
      mark = createMark(line, () => onClick(line));
      marks.set(line, mark);
      editor.addGlyphMarginWidget(mark);
    }
    const count = tokens.length > 999 ? "1k+" : String(tokens.length);
    if (mark.node.textContent !== count) mark.node.textContent = count;
    mark.node.classList.toggle("line-mark-earlier", isEarlier);
    const when = isEarlier
      ? "in the run that is shown, before the mod was edited"
      : "in the run that is shown";
    mark.node.title = `This line had an effect ${countWithNoun(tokens.length, "time")} ${when}. To go to the next such step, click here, or put the cursor on the line and press Alt F9.`;
  }
}

function createMark(line: number, onClick: () => void): LineMark {
  const node = document.createElement("button");
  node.type = "button";
  node.className = "line-mark";
  // The margin is hidden from screen readers and left out by Tab: the editor's own action does the same.
  node.tabIndex = -1;
  node.dataset.line = String(line);
  node.addEventListener("mousedown", (event) => event.stopPropagation());
  node.addEventListener("click", onClick);
  return {
    node,
    getId: () => `midtoken.line-mark.${line}`,
    getDomNode: () => node,
    getPosition: () => ({
      lane: monaco.editor.GlyphMarginLane.Center,
      zIndex: 1,
      range: new monaco.Range(line, 1, line, 1),
    }),
  };
}
