/**
 * The actions of the page's keys; `use-keys.ts` listens for them. Their descriptions are in `keys.ts`, because a link
 * is drawn without them.
 */

import { isRange, selectToken } from "../../core/trace/model/selection.ts";
import { changedTokenMarks, nextMarkedToken } from "../../view/timeline/ribbon/ribbon-cells.ts";
import { runControlKeys } from "./control-keys.ts";
import { actOfPageAction, type KeyBinding } from "./key-row.ts";
import { playbackOf } from "./store/run-store.ts";

export const keyBindings = {
  run: {
    keys: ["Enter"],
    withCtrl: true,
    whileTyping: true,
    act: actOfPageAction("run"),
  },
  escape: {
    keys: ["Escape"],
    act({ run }) {
      const { status, reading, stop, selection, select } = run.getState();
      if (reading || status === "starting" || status === "running" || status === "paused") stop();
      else if (playbackOf(run.getState())) run.getState().changePlayback(() => null);
      else if (isRange(selection)) select(selectToken(selection.cursor));
      else return false;
      return true;
    },
  },
  nextChange: {
    keys: ["n", "p"],
    isLetter: true,
    act({ key, run, compare }) {
      const isNext = key === "n";
      const compared = compare?.getState();
      if (compared?.other && compared.view.type === "ready")
        return compared.moveToDifference(isNext ? 1 : -1);
      const { selection, trace, select } = run.getState();
      const from = selection?.cursor ?? (isNext ? -1 : 0);
      const found = nextMarkedToken(trace, from, isNext ? 1 : -1, (mark) => changedTokenMarks.has(mark));
      if (found !== null) select(selectToken(found));
      return found !== null;
    },
  },
  ...runControlKeys,
  fold: {
    keys: ["f"],
    isLetter: true,
    act({ settings }) {
      const { foldRemoved, change } = settings.getState();
      change({ foldRemoved: !foldRemoved });
      return true;
    },
  },
  share: {
    keys: ["s"],
    isLetter: true,
    act: actOfPageAction("share"),
  },
  history: {
    keys: ["h"],
    isLetter: true,
    act: actOfPageAction("history"),
  },
  guide: {
    keys: ["g"],
    isLetter: true,
    act: actOfPageAction("guide"),
  },
  commands: {
    keys: ["k"],
    withCtrl: true,
    whileTyping: true,
    act: actOfPageAction("commands"),
  },
  help: {
    keys: ["?"],
    act: actOfPageAction("help"),
  },
} as const satisfies Readonly<Record<string, KeyBinding>>;

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">;

const all: readonly KeyBinding[] = Object.values(keyBindings);

/** The action of a key press; null if it has none. @param added the keys of features. */
export function findKeyBinding(
  event: KeyPress,
  isTyping: boolean,
  lettersOn: boolean,
  added: readonly KeyBinding[] = [],
): KeyBinding | null {
  const found = [...all, ...added].find(
    ({ keys, withCtrl = false, whileTyping = false, isLetter = false }) => {
      if (!keys.includes(event.key) || event.altKey) return false;
      if (withCtrl !== (event.ctrlKey || event.metaKey)) return false;
      return (whileTyping || !isTyping) && (lettersOn || !isLetter);
    },
  );
  return found ?? null;
}
