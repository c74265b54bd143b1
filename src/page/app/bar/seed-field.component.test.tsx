// @vitest-environment happy-dom
/** The seed field belongs to the next run, also while an older run with another seed is shown. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, findOnly, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { SeedField } from "./seed-field.tsx";

test("the field says which run its seed belongs to", async () => {
  const stores = createTestStores({});
  const trace = createTraceModel();
  trace.append(createTraceBuilder(requestRecord({ seed: 7 })).finish("stop").records);
  stores.run.getState().show(trace);
  stores.settings.getState().change({ seed: 42 });
  await render(
    <StoresProvider value={stores}>
      <SeedField />
    </StoresProvider>,
  );
  const field = findOnly<HTMLInputElement>("#seed");
  expect(findOnly("label").textContent).toBe("next seed");
  expect([field.value, field.title]).toEqual(["42", expect.stringContaining("Seed of the next run.")]);
  await click(findButton(/^The seed is locked/));
  expect(findOnly("label").textContent).toBe("seed");
  expect([field.value, field.title]).toEqual(["7", expect.stringContaining("Seed of the shown run.")]);
});

test("the label has the room of its longest text from the start, so that nothing moves when the text changes", async () => {
  const stores = createTestStores({});
  await render(
    <StoresProvider value={stores}>
      <SeedField />
    </StoresProvider>,
  );
  const label = findOnly("label");
  expect([label.textContent, label.dataset.longest]).toEqual(["seed", "next seed"]);
});
