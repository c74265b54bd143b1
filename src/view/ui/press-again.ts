/** Presses keys again that the user pressed while the code of a dialog or pane was fetched. Fetched with that code. */
import { flushSync } from "react-dom";

/**
 * Presses the keys in the text field that has got the focus, until one of them closes the dialog. Does nothing if no text field
 * has it.
 * @param from the element with the focus when the dialog was opened: it has it still if the dialog was closed.
 */
export function pressAgain(keys: readonly string[], from: Element | null): void {
  const field = document.activeElement as HTMLInputElement | null;
  if (!field || field === from || !/^(text|search|textarea)$/.test(field.type)) return;
  let typed: string[] = [];
  const typeAll = () => {
    if (typed.length > 0) type(field, typed);
    typed = [];
  };
  for (const key of keys) {
    if (key.length === 1 || key === "Backspace") {
      typed.push(key);
      continue;
    }
    // Drawn before Enter, which chooses what was found for the letters.
    flushSync(typeAll);
    if (document.activeElement !== field) return;
    flushSync(() =>
      field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })),
    );
  }
  typeAll();
}

/** Changes the text of a field as these keys would, which are letters and Backspace. */
function type(field: HTMLInputElement, keys: readonly string[]): void {
  const text = [...field.value];
  for (const key of keys) {
    if (key === "Backspace") text.pop();
    else text.push(key);
  }
  // React overrides the setter of the element itself, and would miss the change.
  const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value") ?? {};
  set?.call(field, text.join(""));
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
