// @vitest-environment happy-dom
/** The line above a run that repeats a run from a link. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import type { OpenedRun } from "../../runs/repository.ts";
import { noteRepeatedRun } from "../store/earlier-runs.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { RepeatOutcome } from "./repeat-outcome.tsx";

function runOf(...words: readonly string[]) {
  const builder = createTraceBuilder(requestRecord());
  words.forEach((text, token) => {
    builder.add([{ token: token + text.length, text }], "sampled");
  });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

/** `isSaved`: whether the recorded run is saved as an imported run. */
async function shown(recorded: readonly string[], here: readonly string[], isSaved = false) {
  const stores = createTestStores();
  const compareWith = vi.fn(async () => {});
  stores.compare.setState({ compareWith });
  vi.spyOn(stores.runs, "open").mockResolvedValue(isSaved ? ({} as OpenedRun) : null);
  const view = await render(
    <StoresProvider value={stores}>
      <RepeatOutcome />
    </StoresProvider>,
  );
  expect(view.textContent).toBe("");
  const trace = runOf(...here);
  noteRepeatedRun(trace, { trace: runOf(...recorded), id: "of-the-link" });
  await act(async () => stores.run.setState({ status: "finished", trace }));
  return { stores, view, compareWith };
}

test("an equal run is said to be equal", async () => {
  const { view, compareWith } = await shown(["Once", " upon"], ["Once", " upon"], true);
  expect(view.querySelector("p")?.textContent).toBe(
    "This run is the same as the recorded run, token for token: 2 tokens.",
  );
  expect(compareWith).not.toHaveBeenCalled();
  await click(findButton("Compare both texts"));
  expect(compareWith).toHaveBeenCalledWith("of-the-link");
});

test("a different run is compared with the recorded run by itself, once, if the recorded run is saved", async () => {
  const { stores, view, compareWith } = await shown(["Once", " upon"], ["Once", " there"], true);
  await waitUntilPasses(() => expect(compareWith).toHaveBeenCalledExactlyOnceWith("of-the-link"));
  await render(
    <StoresProvider value={stores}>
      <RepeatOutcome />
    </StoresProvider>,
  );
  expect(view.textContent).toContain("differs from the recorded run");
  expect(compareWith).toHaveBeenCalledTimes(1);
  const unsaved = await shown(["Once", " upon"], ["Once", " there"]);
  expect(unsaved.compareWith).not.toHaveBeenCalled();
});

test("a different run names the first token that differs, and shows it", async () => {
  const { stores, view } = await shown(["Once", " upon"], ["Once", " there", " was"]);
  expect(view.textContent).toContain(
    'This run differs from the recorded run at token 2: recorded " upon" (chosen), here " there" (chosen).',
  );
  await click(findButton("Show the first difference"));
  expect(stores.run.getState().selection?.cursor).toBe(1);
  await act(async () => stores.run.getState().show(runOf("Other")));
  expect(view.textContent).toBe("");
});
