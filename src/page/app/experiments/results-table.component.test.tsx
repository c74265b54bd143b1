// @vitest-environment happy-dom
/** The table of results: a browser that translates the page leaves the names and texts of the user as they are. */
import { expect, test } from "vitest";
import { click, findOnly, render } from "../../../view/ui/testing/render.ts";
import { resultTableRows } from "../../experiments/table.ts";
import { sampleOutcome, twoByTwo } from "../../experiments/testing/small-experiment.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ResultsTable } from "./results-table.tsx";

test("mods, prompts, checks and texts are not translated; the other words are", async () => {
  const outcomes = [sampleOutcome(0)];
  await render(
    <StoresProvider value={createTestStores()}>
      <ResultsTable
        experiment={twoByTwo}
        outcomes={outcomes}
        rows={resultTableRows(twoByTwo, outcomes, "cell")}
        grouping="cell"
        canOpen={false}
        onOpened={() => {}}
      />
    </StoresProvider>,
  );
  const [first] = document.querySelectorAll<HTMLElement>(".results-open");
  if (!first) throw new Error("The table has no row.");
  await click(first);
  const ofUser = [...document.querySelectorAll(".results [translate=no]")].map((each) => each.textContent);
  expect(ofUser).toEqual(
    expect.arrayContaining(["a name", "without", "rename", "Once upon a time", "One day", "Lily ran."]),
  );
  expect(findOnly(".results thead").textContent).toContain("How runs ended");
  expect(ofUser.join()).not.toContain("How runs ended");
});
