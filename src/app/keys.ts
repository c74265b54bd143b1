/** The keys of the page in one table: the help shows the table, and the listener (`use-keys.ts`) acts by it. */
import { changed, nextMarked } from "../timeline/ribbon/ribbon-cells.ts";
import { textMoves } from "../timeline/ribbon/text-moves.ts";
import { nextDifference } from "../trace/comparison.ts";
import { isRange, selectToken } from "../trace/selection.ts";
import { controlKeys } from "./control-keys.ts";
import type { KeyRow } from "./key-row.ts";
import { playbackOf } from "./store/run-store.ts";

export const keyTable: readonly KeyRow[] = [
  {
    group: "Run",
    inPlayground: true,
    keys: ["Enter"],
    withCtrl: true,
    does: "Run (⌘ Enter on a Mac)",
    whileTyping: true,
    act({ actions }) {
      actions.run?.();
      return actions.run !== undefined;
    },
  },
  {
    group: "Run",
    keys: ["Escape"],
    does: "Stop the run, close what is open, or select one token",
    act({ run }) {
      const { status, reading, stop, selection, select } = run.getState();
      if (reading || status === "starting" || status === "running" || status === "paused") stop();
      else if (playbackOf(run.getState())) run.getState().changePlayback(() => null);
      else if (isRange(selection)) select(selectToken(selection.cursor));
      else return false;
      return true;
    },
  },
  {
    group: "Text",
    keys: ["n", "p"],
    isLetter: true,
    does: "Next, previous change by a mod; of two runs, difference",
    act({ key, run, compare }) {
      const { other, view, column, moveTo } = compare?.getState() ?? {};
      if (other && view?.type === "ready") {
        const next = nextDifference(view.comparison, column ?? 0, key === "n" ? 1 : -1);
        if (next !== null) moveTo?.(next);
        return next !== null;
      }
      const { selection, trace, select } = run.getState();
      const isNext = key === "n";
      const from = selection?.cursor ?? (isNext ? -1 : 0);
      const found = nextMarked(trace, from, isNext ? 1 : -1, (mark) => changed.has(mark));
      if (found !== null) select(selectToken(found));
      return found !== null;
    },
  },
  ...textMoves.map((row) => ({ ...row, group: "Text" as const })),
  { group: "Overview and tracks", keys: ["+", "-"], does: "Zoom in, out" },
  { group: "Overview and tracks", keys: ["a", "d"], does: "Move left, right" },
  { group: "Overview and tracks", keys: ["0", "z"], does: "Show the whole run, what is selected" },
  { group: "Events", keys: ["/"], does: "Write a filter" },
  ...controlKeys,
  {
    group: "Text",
    keys: ["f"],
    isLetter: true,
    does: "Fold what was removed",
    act({ settings }) {
      const { foldRemoved, change } = settings.getState();
      change({ foldRemoved: !foldRemoved });
      return true;
    },
  },
  {
    group: "Page",
    keys: ["s"],
    isLetter: true,
    does: "Share",
    act({ actions }) {
      actions.share();
      return true;
    },
  },
  {
    group: "Page",
    inPlayground: true,
    keys: ["h"],
    isLetter: true,
    does: "History: the runs that are kept",
    act({ actions }) {
      actions.history?.();
      return actions.history !== undefined;
    },
  },
  {
    group: "Page",
    inPlayground: true,
    keys: ["x"],
    isLetter: true,
    does: "Experiments: several mods, prompts and seeds",
    act({ actions }) {
      actions.experiments?.();
      return actions.experiments !== undefined;
    },
  },
  {
    group: "Page",
    inPlayground: true,
    keys: ["g"],
    isLetter: true,
    does: "Guide: how to write a mod",
    act({ actions }) {
      actions.guide?.();
      return actions.guide !== undefined;
    },
  },
  {
    group: "Page",
    notInFile: true,
    keys: ["k"],
    withCtrl: true,
    does: "Commands: everything the page can do (⌘ K on a Mac)",
    whileTyping: true,
    act({ actions }) {
      actions.commands?.();
      return actions.commands !== undefined;
    },
  },
  {
    group: "Page",
    keys: ["?"],
    does: "This list",
    act({ actions }) {
      actions.help();
      return true;
    },
  },
  {
    group: "Mods and editor",
    inPlayground: true,
    keys: ["ArrowLeft", "ArrowRight"],
    withAlt: true,
    does: "On a mod’s tab: it is asked earlier, later",
  },
  { group: "Mods and editor", inPlayground: true, keys: ["F2"], does: "On a mod’s tab: rename it" },
  {
    group: "Mods and editor",
    inPlayground: true,
    keys: ["m"],
    withCtrl: true,
    does: "In the editor: let Tab leave it (⌃⇧M on a Mac)",
  },
  { group: "Anywhere", keys: ["Tab"], does: "Next control; with Shift the one before" },
  {
    group: "Anywhere",
    keys: ["ArrowLeft", "ArrowRight"],
    does: "On tabs: next panel; on a divider: move it",
  },
];

const labels: Readonly<Record<string, string>> = {
  Escape: "Esc",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "space",
};

/** What the help shows of a row: "Ctrl Enter", "n / p", "← →". */
export function keyLabel({ keys, withCtrl, withShift, withAlt }: KeyRow): string {
  const named = keys.map(
    (key) => labels[key] ?? (withCtrl ? key.replace(/^./, (first) => first.toUpperCase()) : key),
  );
  const areArrows = keys.every((key) => key.startsWith("Arrow"));
  return `${withCtrl ? "Ctrl " : ""}${withAlt ? "Alt " : ""}${withShift ? "Shift " : ""}${named.join(areArrows ? " " : " / ")}`;
}

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

/** The row of the table that a key press means; null where it means none. */
export function rowOf(event: KeyPress, isTyping: boolean, lettersOn: boolean): KeyRow | null {
  const found = keyTable.find(({ keys, withCtrl = false, act, whileTyping = false, isLetter = false }) => {
    if (!act || !keys.includes(event.key) || event.altKey) return false;
    if (withCtrl !== (event.ctrlKey || event.metaKey)) return false;
    return (whileTyping || !isTyping) && (lettersOn || !isLetter);
  });
  return found ?? null;
}
