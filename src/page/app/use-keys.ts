/** Listens to the keys of the page, and calls the actions of `key-acts.ts`. */
import { useEffect } from "react";
import { findKeyBinding } from "./key-acts.ts";
import type { KeyActions, KeyBinding, KeyStores } from "./key-row.ts";
import { takeTypedAhead, typeAhead } from "./palette/typed-ahead.ts";

/** `dialog`: the open dialog, also while its code is fetched: keys that the user presses then are meant for the dialog. */
export function useKeys(
  stores: KeyStores,
  actions: KeyActions,
  dialog: string | object | null,
  added: readonly KeyBinding[] = [],
): void {
  useEffect(() => {
    if (dialog === null) takeTypedAhead();
    const act = (event: KeyboardEvent, isWanted: (found: KeyBinding) => boolean) => {
      if (dialog !== null || event.defaultPrevented || isAnythingOpen()) return;
      const found = findKeyBinding(event, isTyping(event), stores.settings.getState().letterKeys, added);
      if (!found || !isWanted(found) || !found.act({ ...stores, key: event.key, actions })) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // The editor has meanings of its own for these: the page comes first, and the editor does not hear of them.
    const before = (event: KeyboardEvent) => {
      if (dialog === "commands" && !isAnythingOpen() && typeAhead(event)) {
        event.preventDefault();
        event.stopPropagation();
      } else act(event, ({ withCtrl }) => withCtrl === true);
    };
    const after = (event: KeyboardEvent) => {
      if (event.key === " " && isOnControl(event)) return;
      act(event, ({ withCtrl }) => withCtrl !== true);
    };
    addEventListener("keydown", before, true);
    addEventListener("keydown", after);
    return () => {
      removeEventListener("keydown", before, true);
      removeEventListener("keydown", after);
    };
  });
}

function isAnythingOpen(): boolean {
  return document.querySelector("dialog[open], :popover-open") !== null;
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
