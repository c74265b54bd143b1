// @vitest-environment happy-dom
/** While the editor's code is fetched, the source that stands in its place takes what someone writes. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { fill, findOnly, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ModsPane } from "./mods-pane.tsx";
import { takeSelection, takeSourceBefore } from "./plain-field.ts";

// The editor's code never comes: a field that has the focus asks for it, and a slow machine would have it by the third test.
vi.mock(import("./editor-turn.ts"), () => ({
  waitToLoadEditor: () => new Promise<void>(() => {}),
  allowEditorToLoad() {},
}));

const page = { run() {}, open() {}, show() {}, openFile() {}, openLine() {} };

function renderPane(source: string) {
  const stores = createTestStores({ first: { mods: [{ name: "own", source, enabled: true }] } });
  const view = render(
    <StoresProvider value={stores}>
      <ModsPane goTo={null} page={page} onShowStep={() => {}} />
    </StoresProvider>,
  );
  return { stores, view };
}

test("letters go into the mod, and the editor gets the focus, the selection and the source before", async () => {
  const { stores, view } = renderPane("// ran");
  await view;
  const mod = stores.mods.getState().active ?? "";
  const field = findOnly<HTMLTextAreaElement>("textarea[aria-label='Source of own']");
  await fill(field, "// ran and");
  await fill(field, "// ran and written");
  expect(stores.mods.getState().mods).toMatchObject([{ source: "// ran and written" }]);
  field.setSelectionRange(3, 6);
  await act(async () => stores.mods.getState().remove(mod));
  expect(takeSourceBefore(mod)).toBe("// ran");
  expect(takeSelection()).toMatchObject({ start: 3, end: 6 });
  expect(takeSelection()).toBeNull();
});

test("a field without the focus leaves no selection", async () => {
  const { stores, view } = renderPane("// ran");
  await view;
  await act(async () => stores.mods.getState().remove(stores.mods.getState().active ?? ""));
  expect(takeSelection()).toBeNull();
});

test("a long source is only shown, as far as the editor would colour it", async () => {
  const { view } = renderPane("x".repeat(100_000));
  await view;
  expect(document.querySelector("textarea")).toBeNull();
  expect(findOnly(".mods-source").textContent).toHaveLength(65_536);
});
