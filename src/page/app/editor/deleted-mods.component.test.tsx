// @vitest-environment happy-dom
/** A mod that was deleted can be restored after its notice with Undo is gone, also a mod that never ran. */
import "fake-indexeddb/auto";
import { afterEach, expect, test, vi } from "vitest";
import { click, findButton, findOnly, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { startSavingModVersions } from "../store/save-versions.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { DeletedMods } from "./deleted-mods.tsx";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function pageWithDeletedMods(name: string) {
  const runs = createRunRepository(name);
  const stores = createTestStores({ runs });
  ends.push(startSavingModVersions(stores), () => runs.close());
  const { add, rename, remove } = stores.mods.getState();
  const own = add("draft", "export const story = 1;\n// never ran\n", { entry: "story", needs: "instruct" });
  const other = add("other", "// other");
  rename(own.id, "hero");
  remove(own.id);
  remove(other.id);
  await expect.poll(async () => (await runs.versions.deleted(new Set())).length).toBe(2);
  const onRestored = vi.fn();
  const view = await render(
    <StoresProvider value={stores}>
      <DeletedMods onRestored={onRestored} />
    </StoresProvider>,
  );
  await waitUntilPasses(() => expect(view.textContent).toContain("Recently deleted: 2 mods"));
  return { stores, own, onRestored, view };
}

test("a deleted mod comes back with its id, name, export and source", async () => {
  const { stores, own, onRestored } = await pageWithDeletedMods("test.deleted.restore");
  expect(findOnly(".gallery-deleted").textContent).toContain("hero");
  await click(findButton("Restore hero"));
  expect(onRestored).toHaveBeenCalledOnce();
  expect(stores.mods.getState().mods).toEqual([{ ...own, name: "hero" }]);
  expect(stores.mods.getState().active).toBe(own.id);
  const [notice] = stores.notices.getState().notices;
  expect(notice?.text).toBe("hero was restored.");
  notice?.action?.run();
  expect(stores.mods.getState().mods).toEqual([]);
});

test("a mod that is deleted for good is no longer listed", async () => {
  const { stores, own, view } = await pageWithDeletedMods("test.deleted.forget");
  await click(findButton("Delete hero for good"));
  expect(view.textContent).toContain("Recently deleted: 1 mod");
  await expect.poll(() => stores.runs.versions.list(own.id)).toEqual([]);
});
