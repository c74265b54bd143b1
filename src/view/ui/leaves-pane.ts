/** Whether a key press leaves a pane: Escape does, unless it closes a menu or dialog that is open inside the pane. */
export function leavesPane(event: Pick<KeyboardEvent, "key" | "defaultPrevented">): boolean {
  if (event.key !== "Escape" || event.defaultPrevented) return false;
  return document.querySelector("dialog[open], :popover-open") === null;
}
