/** The list of keys as the help shows it: the purpose of each, and where it works. `key-acts.ts` has their actions. */
import { textMoves } from "../../view/timeline/ribbon/text-moves.ts";
import { keyBindings } from "./key-acts.ts";
import type { KeyRow } from "./key-row.ts";

export const keyTable: readonly KeyRow[] = [
  { group: "Run", inPlayground: true, does: "Run (⌘ Enter on a Mac)", ...keyBindings.run },
  {
    group: "Run",
    does: "Stop the run, close a dialog, or reduce the selection to one token",
    ...keyBindings.escape,
  },
  {
    group: "Text",
    does: "Next or previous change by a mod; in a comparison, next or previous difference",
    ...keyBindings.nextChange,
  },
  ...textMoves.map((row) => ({ ...row, group: "Text" as const })),
  { group: "Overview and tracks", keys: ["+", "-"], does: "Zoom in, out" },
  { group: "Overview and tracks", keys: ["a", "d"], does: "Move left, right" },
  { group: "Overview and tracks", keys: ["0", "z"], does: "Zoom to the whole run, or to the selection" },
  { group: "Events", keys: ["/"], does: "Filter the events" },
  { group: "Run", does: "Pause or resume the run, or its playback", ...keyBindings.pause },
  { group: "Run", does: "Write one more token", ...keyBindings.writeOne },
  {
    group: "Run",
    inPlayground: true,
    does: "Continue to the next event or reply of a mod",
    ...keyBindings.nextEvent,
  },
  {
    group: "Run",
    inPlayground: true,
    does: "Breakpoints: where runs pause",
    ...keyBindings.breakpoints,
  },
  { group: "Run", does: "Play the run event by event; Esc shows the whole run again", ...keyBindings.play },
  {
    group: "Run",
    does: "During playback: go back one event (the key “.” goes forward)",
    ...keyBindings.back,
  },
  { group: "Text", does: "Fold removed text", ...keyBindings.fold },
  { group: "Page", does: "Share", ...keyBindings.share },
  { group: "Page", inPlayground: true, does: "History: saved runs", ...keyBindings.history },
  { group: "Page", inPlayground: true, does: "Guide: how to write a mod", ...keyBindings.guide },
  {
    group: "Page",
    notInFile: true,
    does: "Commands: everything the page can do (⌘ K on a Mac)",
    ...keyBindings.commands,
  },
  { group: "Page", does: "This list", ...keyBindings.help },
  {
    group: "Mods and editor",
    inPlayground: true,
    keys: ["ArrowLeft", "ArrowRight"],
    withAlt: true,
    does: "On a mod’s tab: move the mod left, right",
  },
  { group: "Mods and editor", inPlayground: true, keys: ["F2"], does: "On a mod’s tab: rename it" },
  {
    group: "Mods and editor",
    inPlayground: true,
    keys: ["m"],
    withCtrl: true,
    does: "In the editor: let Tab leave the editor (⌃⇧M on a Mac)",
  },
  { group: "Anywhere", keys: ["Tab"], does: "Next control; with Shift the previous control" },
  {
    group: "Anywhere",
    keys: ["ArrowLeft", "ArrowRight"],
    does: "On tabs: show the next or previous panel; on a divider: move the divider",
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

/** The label of a row in the help: "Ctrl Enter", "n / p", "← →". */
export function keyLabel({ keys, withCtrl, withShift, withAlt }: KeyRow): string {
  const named = keys.map(
    (key) => labels[key] ?? (withCtrl ? key.replace(/^./, (first) => first.toUpperCase()) : key),
  );
  const areArrows = keys.every((key) => key.startsWith("Arrow"));
  return `${withCtrl ? "Ctrl " : ""}${withAlt ? "Alt " : ""}${withShift ? "Shift " : ""}${named.join(areArrows ? " " : " / ")}`;
}
