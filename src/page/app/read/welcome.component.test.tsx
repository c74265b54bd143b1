// @vitest-environment happy-dom
/** The welcome text says where the user's texts go: nowhere, or to the server that the user chose. */
import { act } from "react";
import { expect, test } from "vitest";
import { render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { Welcome } from "./welcome.tsx";

test("a model in this browser keeps the texts here, a model on a server reads them", async () => {
  const story = createTestCatalogEntry("stories260k");
  const stores = createTestStores({ models: [story] });
  const view = await render(
    <StoresProvider value={stores}>
      <Welcome onRun={() => {}} />
    </StoresProvider>,
  );
  await act(async () => stores.model.getState().choose(story.reference));
  expect(view.textContent).toContain("Your text stays on this device.");
  await act(async () =>
    stores.model.getState().choose({ ...story.reference, server: "https://models.example" }),
  );
  expect(view.textContent).not.toContain("stays on this device");
  expect(view.textContent).toContain("Your text goes to the server that you chose.");
});
