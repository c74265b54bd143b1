// @vitest-environment happy-dom
/** The keyboard stays among the mods after a mod was renamed or deleted. */
import { act } from "react";
import { expect, test } from "vitest";
import { click, fill, findButton, findOnly, press, render } from "../../../view/ui/testing/render.ts";
import type { PageActions } from "../page-actions.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ModTabs } from "./mod-tabs.tsx";

const page: PageActions = {
  run() {},
  open() {},
  show() {},
  openFile() {},
  openLine() {},
};

test("after Enter and Esc in the new name, and after a deletion, a mod's tab has the focus", async () => {
  const stores = createTestStores({});
  const { add } = stores.mods.getState();
  for (const name of ["first", "second"]) add(name, "export default {};");
  await render(
    <StoresProvider value={stores}>
      <ModTabs page={page} />
    </StoresProvider>,
  );
  const tab = () => findOnly<HTMLButtonElement>(".mod-name[aria-current=true]");
  const rename = async (name: string, key: string) => {
    await act(async () => tab().focus());
    await press(tab(), "F2");
    await fill(findOnly<HTMLInputElement>(".mod-rename"), name);
    await press(findOnly(".mod-rename"), key);
    expect(document.activeElement).toBe(tab());
  };
  await rename("other", "Enter");
  expect(tab().textContent).toBe("other");
  await rename("third", "Escape");
  expect(tab().textContent).toBe("other");
  // happy-dom opens no popover: the browser would send this event.
  const menu = Object.assign(findOnly("[role=dialog][aria-label=other]"), { hidePopover() {} });
  await act(async () => menu.dispatchEvent(Object.assign(new Event("toggle"), { newState: "open" })));
  await click(findButton("Delete"));
  expect(tab().textContent).not.toBe("other");
  expect(document.activeElement).toBe(tab());
});
