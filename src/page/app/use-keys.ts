/** Listens to the keys of the page, and calls the actions of `key-acts.ts`. */
import { useLayoutEffect } from "react";
import { findKeyBinding } from "./key-acts.ts";
import type { KeyActions, KeyBinding, KeyStores } from "./key-row.ts";
import { typedAhead } from "./palette/typed-ahead.ts";

/**
 * `dialog`: the open dialog, also while its code is fetched: keys that the user presses then are meant for the dialog. The page
 * listens as soon as it is drawn: an effect after the drawing would miss a key that is pressed before it.
 */
export function useKeys(
  stores: KeyStores,
  actions: KeyActions,
  dialog: string | object | null,
  added: readonly KeyBinding[] = [],
): void {
  useLayoutEffect(() => {
    if (dialog === null) typedAhead.length = 0;
    const press = (event: KeyboardEvent, withCtrl: boolean) => {
      if (event.key === " " && isOnControl(event)) return false;
      const found = findKeyBinding(event, isTyping(event), stores.settings.getState().letterKeys, added);
      if (!found || (found.withCtrl === true) !== withCtrl) return false;
      return found.act({ ...stores, key: event.key, actions });
    };
    // No dialog is open yet: its code is being fetched.
    const pressAhead = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return dialog === "commands" && typeAhead(event);
      actions.closeDialog();
      return true;
    };
    // Called twice for a key press, before and after the focused element. The editor has meanings of its own for keys with
    // Ctrl: the page acts before, and the editor does not hear of them.
    const act = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector("dialog[open], :popover-open")) return;
      const isBefore = event.eventPhase === Event.CAPTURING_PHASE;
      const acts = dialog === null ? press(event, isBefore) : pressAhead(event);
      if (!acts) return;
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

/** Returns a false value for a key that types nothing, such as Shift. */
const typeAhead = ({ key, ctrlKey, metaKey }: KeyboardEvent) =>
  !ctrlKey && !metaKey && /^(.|Backspace)$/.test(key) && typedAhead.push(key);

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
