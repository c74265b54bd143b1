// @vitest-environment happy-dom
/** The line above a run that repeats a run from a link. */
import { act } from "react";
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, render } from "../../../view/ui/testing/render.ts";
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

async function shown(recorded: readonly string[], here: readonly string[]) {
  const stores = createTestStores();
  const view = await render(
    <StoresProvider value={stores}>
      <RepeatOutcome />
    </StoresProvider>,
  );
  expect(view.textContent).toBe("");
  const trace = runOf(...here);
  noteRepeatedRun(trace, runOf(...recorded));
  await act(async () => stores.run.setState({ status: "finished", trace }));
  return { stores, view };
}

test("an equal run is said to be equal", async () => {
  const { view } = await shown(["Once", " upon"], ["Once", " upon"]);
  expect(view.textContent).toBe("This run is the same as the recorded run, token for token: 2 tokens.");
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
