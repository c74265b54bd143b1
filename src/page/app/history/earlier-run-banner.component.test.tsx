// @vitest-environment happy-dom
/** The banner of an earlier run: which parts the next run does not share, and the way to repeat the run. */
import { act } from "react";
import { expect, test, vi } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { click, findButton, render } from "../../../view/ui/testing/render.ts";
import { exampleGroups } from "../../examples/index.ts";
import { forkIntoEditor } from "../store/fork.ts";
import { StoresProvider } from "../store/stores.ts";
import { loadExampleIntoEditor } from "../store/take-example.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { EarlierRunBanner } from "./earlier-run-banner.tsx";

const request = requestRecord({ seed: 7, messages: [{ role: "user", content: "Hello" }] });

function finishedRun() {
  const trace = createTraceModel();
  trace.append(createTraceBuilder(request).finish("stop").records);
  return trace;
}

async function shown(stores: ReturnType<typeof createTestStores>) {
  return render(
    <StoresProvider value={stores}>
      <EarlierRunBanner />
    </StoresProvider>,
  );
}

const own = {
  id: "one",
  modIds: [],
  from: null,
  recorded: false,
  interrupted: false,
  saved: "listed",
} as const;

test("an opened run names its own parts, until one click puts its settings into the editor", async () => {
  const stores = createTestStores();
  stores.settings.getState().change({ seed: 42 });
  stores.run.getState().show(finishedRun(), own);
  const view = await shown(stores);
  expect(view.textContent).toContain("Earlier run, made with its own prompt, settings and seed (7).");
  await click(findButton("Load this run into the editor"));
  await vi.waitFor(() => expect(stores.settings.getState().seed).toBe(7));
  await act(async () => {});
  expect(view.textContent).toBe("");
});

test("a run that agrees with the editor gets no line, also while the user types the next prompt", async () => {
  const stores = createTestStores();
  await forkIntoEditor(stores, request);
  stores.run.getState().show(finishedRun(), own);
  const view = await shown(stores);
  expect(view.textContent).toBe("");
  const [turn] = stores.conversation.getState().turns;
  await act(async () => stores.conversation.getState().edit(turn?.id ?? "", "Goodbye"));
  expect(view.textContent).toBe("");
});

test("a run of this page gets the line once an example is tried, until the next run", async () => {
  const stores = createTestStores();
  await forkIntoEditor(stores, request);
  const trace = finishedRun();
  stores.run.getState().show(trace, own);
  stores.run.setState({ started: { ...own, trace, watch: () => () => {}, ended: Promise.resolve(null) } });
  const view = await shown(stores);
  expect(view.textContent).toBe("");
  const [example] = exampleGroups[0]?.examples ?? [];
  if (!example) throw new Error("No example.");
  await act(async () => loadExampleIntoEditor(stores, example));
  expect(view.textContent).toContain("This is still the earlier run, made with its own prompt, mods");
  expect(view.textContent).toContain("Press Run to use the new contents of the editor.");
});
