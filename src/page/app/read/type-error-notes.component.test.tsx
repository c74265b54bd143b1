// @vitest-environment happy-dom
/** A mod with type errors says so where the run says what its mods did, until the mod is edited. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, render } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { TypeErrorNotes } from "./type-error-notes.tsx";

test("the first type error of a mod that ran, and its line", async () => {
  const stores = createTestStores();
  const { id } = stores.mods.getState().add("swap-name", "event.outptu");
  const error = { mod: id, source: "types", column: 7 } as const;
  const first = "Property 'outptu' does not exist on type 'AddedEvent'. Did you mean 'output'?";
  const trace = createTraceModel();
  trace.append(
    createTraceBuilder(requestRecord({ mods: [{ name: "swap-name", source: "event.outptu" }] })).records,
  );
  stores.run.setState({ status: "finished", trace, modIds: [id], version: trace.version });
  const onOpenLine = vi.fn();
  const view = await render(
    <StoresProvider value={stores}>
      <TypeErrorNotes onOpenLine={onOpenLine} />
    </StoresProvider>,
  );
  expect(view.textContent).toBe("");

  await act(async () =>
    stores.problems.getState().report("types", [
      { ...error, line: 9, message: first },
      { ...error, line: 12, message: "Another error." },
    ]),
  );
  expect(view.textContent).toContain(
    `swap-name has 2 type errors, so it may not do what you expect: ${first}`,
  );
  await click(findButton("Show line 9"));
  expect(onOpenLine).toHaveBeenCalledWith(id, 9);

  await act(async () => stores.mods.getState().edit(id, "event.outptut"));
  expect(view.textContent, "after an edit").toBe("");
});
