/** Whether a key press leaves a pane: Escape does, unless a menu or dialog is open on the page or the press was handled already. */
export function leavesPane(event: Pick<KeyboardEvent, "key" | "defaultPrevented">): boolean {
  if (event.key !== "Escape" || event.defaultPrevented) return false;
  return document.querySelector("dialog[open], :popover-open") === null;
}
