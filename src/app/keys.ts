/** The keys of the page, in one table: what the help shows is what is listened to. */
import { useEffect } from "react";
import type { StoreApi } from "zustand/vanilla";
import { changed, nextMarked } from "./read/ribbon-cells.ts";
import type { RunState } from "./store/run-store.ts";
import type { SettingsState } from "./store/settings-store.ts";

export const keyHelp = [
  { keys: "Ctrl Enter", does: "Run (⌘ Enter on a Mac)" },
  { keys: "Esc", does: "Stop the run, or close what is open" },
  { keys: "n / p", does: "Next, previous change by a mod" },
  { keys: "← →", does: "Previous, next token" },
  { keys: "↑ ↓", does: "Token above, below" },
  { keys: "Home / End", does: "First, last token" },
  { keys: "space", does: "Pause or resume the run" },
  { keys: ".", does: "Write one more token" },
  { keys: "f", does: "Fold what was removed" },
  { keys: "s", does: "Share" },
  { keys: "?", does: "This list" },
  { keys: "Ctrl M", does: "In the editor: let Tab leave it (⌃⇧M on a Mac)" },
] as const;

export interface KeyActions {
  readonly run?: () => void;
  readonly help: () => void;
  readonly share: () => void;
}

interface KeyStores {
  readonly run: StoreApi<RunState>;
  readonly settings: StoreApi<SettingsState>;
}

export function useKeys(stores: KeyStores, actions: KeyActions): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
      if (handle(event, stores, actions)) event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  });
}

function handle(event: KeyboardEvent, { run, settings }: KeyStores, actions: KeyActions): boolean {
  const state = run.getState();
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
    actions.run?.();
    return actions.run !== undefined;
  }
  if (event.key === "Escape" && !isTyping(event)) {
    if (state.status !== "starting" && state.status !== "running" && state.status !== "paused") return false;
    state.stop();
    return true;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return false;
  if (event.key === "?") {
    actions.help();
    return true;
  }
  return settings.getState().letterKeys && letter(event, state, settings, actions);
}

function letter(
  event: KeyboardEvent,
  state: RunState,
  settings: StoreApi<SettingsState>,
  actions: KeyActions,
): boolean {
  switch (event.key) {
    case "n":
    case "p": {
      const from = state.selected ?? (event.key === "n" ? -1 : 0);
      const next = nextMarked(state.trace, from, event.key === "n" ? 1 : -1, (mark) => changed.has(mark));
      if (next !== null) state.select(next);
      return next !== null;
    }
    case " ":
      if (onControl(event) || (state.status !== "running" && state.status !== "paused")) return false;
      if (state.status === "paused") state.resume();
      else state.pause();
      return true;
    case ".":
      if (state.status !== "running" && state.status !== "paused") return false;
      state.stepOnce();
      return true;
    case "f":
      settings.getState().change({ foldRemoved: !settings.getState().foldRemoved });
      return true;
    case "s":
      actions.share();
      return true;
    default:
      return false;
  }
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=radio], [type=checkbox]), textarea, select") ||
    target.closest(".monaco-editor") !== null
  );
}

/** Space presses the control that has the focus. */
function onControl(event: KeyboardEvent): boolean {
  return (
    (event.target as HTMLElement).closest("button, a, summary, input, [role=separator], [role=tab]") !== null
  );
}
