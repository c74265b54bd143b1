// @vitest-environment happy-dom
/**
 * The command palette over the page's stores and a recorded run: typing, arrow keys, Enter, Escape. That the focus goes back
 * to where it was needs a browser (e2e/page/palette.spec.ts).
 */
import "fake-indexeddb/auto";
import { act, useState } from "react";
import { afterEach, expect, test } from "vitest";
import { recordedRun } from "../../../core/trace/testing/recorded-run.ts";
import { fill, findOnly, press, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { sampleRunPageMetadata } from "../../runs/testing/some-runs.ts";
import type { PageActions } from "../page-actions.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { CommandPalette } from "./command-palette.tsx";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

let tests = 0;

/** `did` lists what commands asked of the page. */
async function openPalette() {
  tests += 1;
  const runs = createRunRepository(`test.palette.${tests}`);
  ends.push(() => runs.close());
  const stores = createTestStores({ runs });
  const trace = recordedRun("02-story-no-mod");
  await runs.save(runToSave(trace, { ...sampleRunPageMetadata, id: "saved" }));
  const did: string[] = [];
  const actions: PageActions = {
    run: () => did.push("run"),
    open: (dialog) => did.push(`open ${String(dialog)}`),
    show: (place) => did.push(`show ${place}`),
    openFile: () => did.push("file"),
    openLine: () => did.push("line"),
  };
  let setOpen = (_isOpen: boolean) => {};
  function Page() {
    const [isOpen, change] = useState(false);
    setOpen = change;
    return (
      <StoresProvider value={stores}>
        {isOpen && <CommandPalette actions={actions} onClose={() => change(false)} />}
      </StoresProvider>
    );
  }
  await render(<Page />);
  const open = async () => {
    await act(async () => setOpen(true));
    return findOnly<HTMLInputElement>("[role=combobox]");
  };
  return { stores, trace, did, open, input: await open() };
}

const options = () => [...document.querySelectorAll("[role=option]")];
const titleOf = (option: Element) => findOnly(".palette-title", option).textContent;
const titles = () => options().map(titleOf);
const possible = () =>
  options()
    .filter((each) => each.getAttribute("aria-disabled") !== "true")
    .map(titleOf);
const chosen = () => findOnly('[role=option][aria-selected="true"] .palette-title').textContent;
const isOpen = () => document.querySelector("dialog") !== null;
const status = () => findOnly("[role=status]").textContent;

test("typed words leave the commands that have each of them, and Enter runs the best", async () => {
  const { stores, input } = await openPalette();
  expect(document.activeElement).toBe(input);
  const all = titles().length;
  expect(status()).toBe("");
  await fill(input, "theme dark");
  expect(titles()).toEqual(["Theme: dark"]);
  expect(all).toBeGreaterThan(20);
  expect(status()).toBe("1 found");
  await press(input, "Enter");
  expect(stores.settings.getState().theme).toBe("dark");
  expect(isOpen()).toBe(false);
});

test("arrow keys move the choice, from the last command to the first too; other words choose the best again", async () => {
  const { did, input } = await openPalette();
  await fill(input, "theme");
  // The theme that is in use cannot be chosen, so the arrows pass over its command.
  const found = possible();
  expect(titles().length).toBe(found.length + 1);
  expect(found.length).toBeGreaterThan(1);
  expect(chosen()).toBe(found[0]);
  await press(input, "ArrowDown");
  expect(chosen()).toBe(found[1]);
  await press(input, "ArrowUp");
  await press(input, "ArrowUp");
  expect(chosen()).toBe(found.at(-1));
  await press(input, "ArrowDown");
  expect(chosen()).toBe(found[0]);
  await press(input, "ArrowDown");
  await fill(input, "examples add");
  expect(chosen()).toBe("Examples: add a mod");
  await press(input, "Enter");
  expect(did).toEqual(["open gallery"]);
});

test("Escape and Ctrl+K close the palette, and run nothing", async () => {
  const { did, open, input } = await openPalette();
  await fill(input, "history");
  // A browser answers Escape in an open dialog with this event.
  const cancel = new Event("cancel", { cancelable: true });
  await act(async () => findOnly("dialog").dispatchEvent(cancel));
  expect(cancel.defaultPrevented).toBe(true);
  expect(isOpen()).toBe(false);
  await press(await open(), "Control+k");
  expect(isOpen()).toBe(false);
  expect(did).toEqual([]);
});

test("a command that is impossible now says why and does nothing; words that nothing has are repeated", async () => {
  const { did, input } = await openPalette();
  await fill(input, "verify");
  const [command] = options();
  expect(command?.getAttribute("aria-disabled")).toBe("true");
  expect(command?.textContent).toBe("Repeat and check this runNo finished run is shown");
  await press(input, "Enter");
  expect(did).toEqual([]);
  expect(isOpen()).toBe(true);
  await fill(input, "zzzz");
  expect(findOnly(".palette-none").textContent).toMatch(/^Nothing found for “zzzz”\./);
  expect(status()).toBe("0 found");
});

test("a saved run is found by its prompt and opened, and a number goes to its token", async () => {
  const { stores, trace, did, open, input } = await openPalette();
  await fill(input, "lily park");
  await waitUntilPasses(() => expect(titles()).toEqual(["One day, Lily went to the park"]));
  await press(input, "Enter");
  await waitUntilPasses(() => expect(stores.run.getState().id).toBe("saved"));
  expect(stores.run.getState().trace.tokens.text).toEqual(trace.tokens.text);
  const again = await open();
  await fill(again, "12");
  expect(chosen()).toBe("Go to token 12");
  await press(again, "Enter");
  expect(stores.run.getState().selection).toMatchObject({ anchor: 11, cursor: 11 });
  await fill(await open(), "121");
  expect(options()[0]?.textContent).toBe("Go to token 121The run has tokens 1 to 120");
  expect(did).toEqual(["show read", "show read"]);
});
