/**
 * Renders one view into a document, without a browser, for tests of texts, keys and buttons. Layout, colours and painted
 * canvases need a browser test. The test file begins with `// @vitest-environment happy-dom`.
 */
import { act, type ReactNode } from "react";
import { createRoot, type Root } from "react-dom/client";
import { vi } from "vitest";
import { afterEachTest } from "../../../../scripts/unit-tests/after-each-test.ts";

const roots: Root[] = [];

afterEachTest(async () => {
  if (roots.length === 0) return;
  for (const root of roots.splice(0)) await act(async () => root.unmount());
  document.body.replaceChildren();
});

/** Renders a view, with all parts that it fetches lazily. Returns its element, whose text is what a visitor reads. */
export async function render(view: ReactNode): Promise<HTMLElement> {
  // React warns about changes outside `act` unless this global says that a test runs.
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const element = document.createElement("div");
  document.body.append(element);
  const root = createRoot(element);
  roots.push(root);
  await act(async () => root.render(view));
  return element;
}

/** Waits until `check` no longer throws. Meanwhile React may draw, for example a part that is fetched lazily. */
export async function waitUntilPasses<Value>(check: () => Value): Promise<Value> {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", false);
  try {
    return await vi.waitFor(check);
  } finally {
    vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  }
}

/** The only element of `within` that a selector finds. @throws when there is none, or more than one. */
export function findOnly<Found extends Element = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): Found {
  const found = within.querySelectorAll<Found>(selector);
  const [first] = found;
  if (!first || found.length > 1) throw new Error(`${found.length} elements are "${selector}", not one.`);
  return first;
}

/** The button with this label or text. */
export function findButton(name: string | RegExp, within: ParentNode = document): HTMLButtonElement {
  const buttons = [...within.querySelectorAll("button")];
  const names = buttons.map((each) => each.getAttribute("aria-label") ?? each.textContent ?? "");
  const at = names.findIndex((each) => (typeof name === "string" ? each === name : name.test(each)));
  const found = buttons[at];
  if (!found) throw new Error(`No button is called ${name}. There are: ${names.join(", ")}`);
  return found;
}

export async function click(element: HTMLElement): Promise<void> {
  await act(async () => element.click());
}

/** Presses a key on an element, for example `Home`, `Shift+ArrowRight` or `Control+k`. */
export async function press(element: Element, keys: string): Promise<void> {
  const names = keys.split("+");
  const key = names.at(-1) ?? "";
  const modifiers = { shiftKey: names.includes("Shift"), ctrlKey: names.includes("Control") };
  const options = { ...modifiers, key, bubbles: true, cancelable: true };
  await act(async () => element.dispatchEvent(new KeyboardEvent("keydown", options)));
}

/** Replaces the text of a field as typing does, so that React notices the change. */
export async function fill(field: HTMLInputElement | HTMLTextAreaElement, text: string): Promise<void> {
  const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set;
  await act(async () => {
    field.focus();
    set?.call(field, text);
    field.setSelectionRange(text.length, text.length);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
