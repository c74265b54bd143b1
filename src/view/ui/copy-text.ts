/**
 * Copies a text to the clipboard. On insecure pages, where `navigator.clipboard` is missing, the text is copied from a
 * selected field.
 */

/** @throws DOMException when the browser does not allow copying. */
export async function copyText(text: string): Promise<void> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) return clipboard.writeText(text);
  if (!copySelection(text)) throw new DOMException("The browser does not allow copying.", "NotAllowedError");
}

/** Puts the text into an invisible field, selects and copies it, and restores the focus. */
function copySelection(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.cssText = "position: fixed; inset: 0 auto auto -100vw";
  // Inside a modal dialog only the dialog's own content can be focused.
  const place = focused?.closest("dialog") ?? document.body;
  place.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
