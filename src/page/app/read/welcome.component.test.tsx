// @vitest-environment happy-dom
/** The welcome text says where the user’s texts go, and its examples have the names of the list of examples. */
import { act } from "react";
import { expect, test } from "vitest";
import { render } from "../../../view/ui/testing/render.ts";
import { examples } from "../../examples/index.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { Welcome, welcomeExamples } from "./welcome.tsx";

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

test.each(welcomeExamples)("the example %s has the same name in the list of examples", (label, name) => {
  expect(examples.find((example) => example.name === name)?.title).toMatch(new RegExp(`^${label}`));
});
