/** Listens to the keys of the page, and calls the actions of `key-acts.ts`. */
import { useLayoutEffect } from "react";
import { pressAhead } from "../../view/ui/lazy-dialog.tsx";
import { findKeyBinding } from "./key-acts.ts";
import type { KeyActions, KeyBinding, KeyStores } from "./key-row.ts";

/** The page listens as soon as it is drawn: an effect after the drawing would miss a key that is pressed before it. */
export function useKeys(stores: KeyStores, actions: KeyActions, added: readonly KeyBinding[] = []): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === " " && isOnControl(event)) return false;
      const found = findKeyBinding(event, isTyping(event), stores.settings.getState().letterKeys, added);
      const isBefore = event.eventPhase === Event.CAPTURING_PHASE;
      if (!found || (found.withCtrl === true) !== isBefore) return false;
      return found.act({ ...stores, key: event.key, actions });
    };
    // Called twice for a key press, before and after the focused element. The editor has meanings of its own for keys with
    // Ctrl: the page acts before, and the editor does not hear of them.
    const act = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
      if (!pressAhead(event, isTyping(event)) && !press(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", act, true);
    addEventListener("keydown", act);
    return () => {
      removeEventListener("keydown", act, true);
      removeEventListener("keydown", act);
    };
  });
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select") ||
    target.closest(".monaco-editor") !== null
  );
}

/** Whether the focus is on a control, which Space then presses. */
function isOnControl(event: KeyboardEvent): boolean {
  return (
    (event.target as HTMLElement).closest("button, a, summary, input, [role=separator], [role=tab]") !== null
  );
}
