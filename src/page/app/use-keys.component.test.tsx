// @vitest-environment happy-dom
import { useLayoutEffect, useState } from "react";
import { expect, test, vi } from "vitest";
import { click, findButton, findOnly, press, render } from "../../view/ui/testing/render.ts";
import { CommandMenu } from "./palette/command-menu.tsx";
import { createTestStores } from "./store/testing/test-stores.ts";
import { useKeys } from "./use-keys.ts";

test.each([
  [null, 1],
  ["help", 0],
])("a letter is a shortcut unless a dialog is open or on its way (%s)", async (dialog, times) => {
  const stores = createTestStores();
  const guide = vi.fn();
  function Page() {
    useKeys(stores, { guide, help() {}, share() {}, closeDialog() {} }, dialog);
    return null;
  }
  await render(<Page />);
  await press(document.body, "g");
  expect(guide).toHaveBeenCalledTimes(times);
});

test("a key is heard as soon as the page is drawn, before effects that come after the drawing", async () => {
  const stores = createTestStores();
  const share = vi.fn();
  function Page() {
    useKeys(stores, { help() {}, share, closeDialog() {} }, null);
    useLayoutEffect(() => {
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "s", bubbles: true }));
    }, []);
    return null;
  }
  await render(<Page />);
  expect(share).toHaveBeenCalledOnce();
});

/** A page whose palette opens only when its code "is there". */
async function renderSlowPalette() {
  const stores = createTestStores();
  function Page() {
    const [dialog, setDialog] = useState<"commands" | null>(null);
    const [isLoaded, setLoaded] = useState(false);
    const [text, setText] = useState("");
    const close = () => {
      setDialog(null);
      setText("");
    };
    const actions = { help() {}, share() {}, commands: () => setDialog("commands"), closeDialog: close };
    useKeys(stores, actions, dialog);
    return (
      <>
        <textarea aria-label="Prompt" />
        <button type="button" onClick={() => setLoaded(!isLoaded)}>
          Toggle the code
        </button>
        <button type="button" onClick={close}>
          Give up
        </button>
        {isLoaded && dialog && (
          <CommandMenu commands={[]} text={text} placeholder="" hint="" onText={setText} onClose={close} />
        )}
      </>
    );
  }
  await render(<Page />);
  const toggleCode = () => click(findButton("Toggle the code"));
  return { prompt: findOnly("textarea"), toggleCode, giveUp: () => click(findButton("Give up")) };
}

/** Presses keys in a field. Returns the keys that the field would have typed. */
async function type(field: HTMLElement, keys: readonly string[]): Promise<string[]> {
  const typed: string[] = [];
  const note = (event: KeyboardEvent) => {
    if (!event.defaultPrevented) typed.push(event.key);
  };
  field.addEventListener("keydown", note);
  for (const key of keys) await press(field, key);
  field.removeEventListener("keydown", note);
  return typed;
}

test("letters typed after Ctrl+K, before the palette's code is there, are typed into the palette", async () => {
  const { prompt, toggleCode } = await renderSlowPalette();
  await press(prompt, "Control+k");
  expect(await type(prompt, ["d", "a", "t", "Backspace", "r", "k", " ", "Shift", "é"])).toEqual(["Shift"]);
  await toggleCode();
  const input = findOnly<HTMLInputElement>("[role=combobox]");
  expect(input.value).toBe("dark é");
  // The open palette types for itself.
  expect(await type(input, ["x"])).toEqual(["x"]);
});

test("a palette that never opened leaves no letters for the next one", async () => {
  const { prompt, toggleCode, giveUp } = await renderSlowPalette();
  await press(prompt, "Control+k");
  await type(prompt, ["d"]);
  await giveUp();
  expect(await type(prompt, ["e"])).toEqual(["e"]);
  await press(prompt, "Control+k");
  await toggleCode();
  expect(findOnly<HTMLInputElement>("[role=combobox]").value).toBe("");
});

test("Esc cancels a palette whose code is not there yet", async () => {
  const { prompt, toggleCode } = await renderSlowPalette();
  await press(prompt, "Control+k");
  expect(await type(prompt, ["d", "Escape", "e"])).toEqual(["e"]);
  await toggleCode();
  expect(document.querySelector("[role=combobox]")).toBeNull();
  await press(prompt, "Control+k");
  expect(findOnly<HTMLInputElement>("[role=combobox]").value).toBe("");
});
