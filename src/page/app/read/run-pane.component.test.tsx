// @vitest-environment happy-dom
/** Every end of a run is shown in the pane of the text, also if the run has no text: how it ended, and what to do next. */
import { act } from "react";
import { expect, test } from "vitest";
import { runEnds, traceThatEnds } from "../../../view/timeline/run-end/testing/run-ends.ts";
import { findOnly, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { RunPane } from "./run-pane.tsx";

const welcome = "Nothing has run yet.";

test.each(
  Object.entries(runEnds).flatMap(([name, end]) =>
    [[" there", " was"], []].map((words) => [name, words.length, end, words] as const),
  ),
)("%s after %i words", async (_name, _count, end, words) => {
  const stores = createTestStores();
  stores.run.getState().show(traceThatEnds(end.end, words));
  stores.run.setState({
    recorded: false,
    failure: end.failure ?? null,
    interrupted: end.interrupted ?? false,
    status: end.failure === undefined ? "finished" : "failed",
  });
  const page = await render(
    <StoresProvider value={stores}>
      <RunPane
        run={stores.run}
        settings={stores.settings}
        onOpenSource={null}
        onBranch={null}
        empty={<p>{welcome}</p>}
      />
    </StoresProvider>,
  );
  const text = findOnly(".read-text .ribbon-frame", page);
  await waitUntilPasses(() => findOnly(".run-end", text));
  await act(async () => {});
  const shown = findOnly(".run-end", text).textContent ?? "";
  expect(shown).toMatch(end.says);
  expect(shown).toMatch(end.next);
  expect(page.textContent).not.toContain(welcome);
  // A scale without bars would say nothing.
  expect(page.querySelectorAll(".overview-unit")).toHaveLength(words.length > 0 ? 1 : 0);
});
