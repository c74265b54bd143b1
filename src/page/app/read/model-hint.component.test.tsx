// @vitest-environment happy-dom
/** The hint about mods that need a model which follows instructions stands beside the text before such a run, not only after it. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { click, findButton, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { UnsuitedModelNotice } from "./model-hint.tsx";

test("a mod for instruct models that is on beside the story model: the hint names it and offers a model", async () => {
  const story = createTestCatalogEntry("stories260k");
  const instruct = createTestCatalogEntry("smol-instruct");
  const stores = createTestStores({ models: [story, instruct] });
  const onRun = vi.fn();
  const view = await render(
    <StoresProvider value={stores}>
      <UnsuitedModelNotice onRun={onRun} />
    </StoresProvider>,
  );
  await act(async () => stores.model.getState().choose(story.reference));
  expect(view.textContent).toBe("");
  await act(async () => {
    const mod = stores.mods.getState().add("wait", "export default {};", { needs: "instruct" });
    stores.mods.getState().setEnabled([mod.id], true);
  });
  expect(view.textContent).toContain("wait is made for a model that follows instructions.");
  const run = await waitUntilPasses(() => findButton(/^Run on smol-instruct/));
  await click(run);
  expect(stores.model.getState().choice?.reference.id).toBe("smol-instruct");
  expect(onRun).toHaveBeenCalledOnce();
  expect(view.textContent).toBe("");
});
