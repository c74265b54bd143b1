/** Text that the user types after Ctrl+K, while the palette's code is fetched. The palette's field takes the text when it opens. */
let text = "";

/** Returns false for a key that types nothing, such as Shift or Ctrl+C. */
export function typeAhead({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey) return false;
  if (key === "Backspace") text = text.slice(0, -1);
  else if (key.length === 1) text += key;
  else return false;
  return true;
}

export function takeTypedAhead(): string {
  const taken = text;
  text = "";
  return taken;
}
