// @vitest-environment happy-dom
/** Keys that are pressed while the code of a dialog or pane is fetched (`src/view/ui/lazy-dialog.tsx`). */
import { act, useState } from "react";
import { expect, test, vi } from "vitest";
import { lazyDialog } from "../../view/ui/lazy-dialog.tsx";
import { click, findButton, findOnly, press, render } from "../../view/ui/testing/render.ts";
import { GuidePane } from "./guide/guide-pane.tsx";
import { CommandMenu } from "./palette/command-menu.tsx";
import { StoresProvider } from "./store/stores.ts";
import { createTestStores } from "./store/testing/test-stores.ts";
import { useKeys } from "./use-keys.ts";

interface Opened {
  readonly onClose: () => void;
  readonly onCommand?: (name: string) => void;
}

function Palette({ onClose, onCommand }: Opened) {
  const [text, setText] = useState("");
  const commands = ["History", "Theme: dark", "Theme: light"].map((title) => ({
    id: title,
    title,
    about: "",
    words: "",
    group: "Page" as const,
    act: () => onCommand?.(title),
  }));
  return (
    <CommandMenu commands={commands} text={text} placeholder="" hint="" onText={setText} onClose={onClose} />
  );
}

const Guide = ({ onClose }: Opened) => <GuidePane onRun={() => {}} onClose={onClose} />;

/** Shares nothing: a dialog without a text field. */
function Plain() {
  return <button type="button">Copy</button>;
}

/** A page with a palette, a guide and a dialog without fields, whose code comes when the test says so. */
async function renderSlowPage() {
  const stores = createTestStores();
  let onFetched = () => {};
  const fetched = new Promise<void>((resolve) => {
    onFetched = resolve;
  });
  const afterFetch = async <Module,>(module: Module): Promise<Module> => {
    await fetched;
    return module;
  };
  const SlowPalette = lazyDialog({ part: "P", load: () => afterFetch({ Palette }), component: "Palette" });
  const SlowGuide = lazyDialog({ part: "G", load: () => afterFetch({ Guide }), component: "Guide" });
  const SlowPlain = lazyDialog({ part: "S", load: () => afterFetch({ Plain }), component: "Plain" });
  const run = vi.fn();
  const onCommand = vi.fn();
  function Page() {
    const [open, setOpen] = useState<"commands" | "guide" | "share" | null>(null);
    const close = () => setOpen(null);
    useKeys(stores, {
      run,
      help() {},
      commands: () => setOpen("commands"),
      guide: () => setOpen("guide"),
      share: () => setOpen("share"),
    });
    return (
      <StoresProvider value={stores}>
        <textarea aria-label="Prompt" />
        <input aria-label="Seed" />
        <button type="button" onClick={close}>
          Give up
        </button>
        {open === "commands" && <SlowPalette onClose={close} onCommand={onCommand} />}
        {open === "guide" && <SlowGuide onClose={close} />}
        {open === "share" && <SlowPlain onClose={close} />}
      </StoresProvider>
    );
  }
  await render(<Page />);
  return {
    prompt: findOnly("textarea"),
    seed: findOnly<HTMLInputElement>("[aria-label=Seed]"),
    run,
    onCommand,
    fetch: () =>
      act(async () => {
        await import("../../view/ui/press-again.ts");
        onFetched();
      }),
  };
}

const palette = () => document.querySelector<HTMLInputElement>("[role=combobox]");
const guideField = () => document.querySelector<HTMLInputElement>("[aria-label='Search the guide']");

/** Presses keys in an element. Returns the keys that the page left to the element. */
async function type(element: HTMLElement, keys: readonly string[]): Promise<string[]> {
  const typed: string[] = [];
  const note = (event: KeyboardEvent) => {
    if (!event.defaultPrevented) typed.push(event.key);
  };
  element.addEventListener("keydown", note);
  for (const key of keys) await press(element, key);
  element.removeEventListener("keydown", note);
  return typed;
}

test("letters typed after Ctrl+K are typed into the palette", async () => {
  const { prompt, fetch } = await renderSlowPage();
  prompt.focus();
  await press(prompt, "Control+k");
  expect(await type(prompt, ["d", "a", "t", "Backspace", "r", "k", " ", "Shift", "é"])).toEqual(["Shift"]);
  await fetch();
  expect(palette()?.value).toBe("dark é");
  // The open palette types for itself.
  expect(await type(palette() as HTMLElement, ["x"])).toEqual(["x"]);
});

test("Enter and arrows typed after Ctrl+K choose among what was found", async () => {
  const { fetch, onCommand } = await renderSlowPage();
  await press(document.body, "Control+k");
  await type(document.body, [..."theme", "ArrowDown", "Enter"]);
  expect(onCommand).not.toHaveBeenCalled();
  await fetch();
  expect(onCommand.mock.calls).toEqual([["Theme: light"]]);
  expect(palette()).toBeNull();
});

test("letters typed after G are typed into the guide's search, and are no shortcuts", async () => {
  const { fetch, run } = await renderSlowPage();
  await press(document.body, "g");
  expect(await type(document.body, [..."force"])).toEqual([]);
  // Keys with Ctrl still belong to the page.
  await press(document.body, "Control+Enter");
  expect(run).toHaveBeenCalledOnce();
  await fetch();
  expect(guideField()?.value).toBe("force");
  expect(findOnly(".guide-note").textContent).toMatch(/^[1-9]\d* of /);
});

test("Esc cancels a palette or a pane whose code is not there yet", async () => {
  const { prompt, fetch } = await renderSlowPage();
  prompt.focus();
  await press(prompt, "Control+k");
  expect(await type(prompt, ["d", "Escape", "e"])).toEqual(["e"]);
  await press(document.body, "g");
  await type(document.body, ["a", "Escape"]);
  await fetch();
  expect([palette(), guideField()]).toEqual([null, null]);
  await press(prompt, "Control+k");
  expect(palette()?.value).toBe("");
});

test("a palette that never opened leaves no letters for the next one, nor for the field before", async () => {
  const { prompt, fetch } = await renderSlowPage();
  prompt.focus();
  await press(prompt, "Control+k");
  await type(prompt, ["d"]);
  await click(findButton("Give up"));
  expect(prompt).toHaveProperty("value", "");
  expect(await type(prompt, ["e"])).toEqual(["e"]);
  await press(prompt, "Control+k");
  await fetch();
  expect(palette()?.value).toBe("");
});

test("keys for a field that the user has chosen since are left to this field", async () => {
  const { seed, fetch } = await renderSlowPage();
  await press(document.body, "g");
  await type(document.body, ["a"]);
  seed.focus();
  expect(await type(seed, ["7"])).toEqual(["7"]);
  await fetch();
  expect(guideField()?.value).toBe("a");
});

test("a dialog without a text field drops the letters", async () => {
  const { seed, fetch } = await renderSlowPage();
  seed.focus();
  seed.blur();
  await press(document.body, "s");
  expect(await type(document.body, ["g", "Enter"])).toEqual([]);
  await fetch();
  expect(guideField()).toBeNull();
  await press(document.body, "g");
  expect(guideField()?.value).toBe("");
});
