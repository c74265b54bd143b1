// @vitest-environment happy-dom
/** The list of saved runs over recorded runs: a row for each, search, stars, deletion with Undo, and keys. */
import "fake-indexeddb/auto";
import { afterEach, expect, test } from "vitest";
import { recordedRun } from "../../../core/trace/testing/recorded-run.ts";
import {
  click,
  fill,
  findButton,
  findOnly,
  press,
  render,
  waitUntilPasses,
} from "../../../view/ui/testing/render.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { sampleRunPageMetadata } from "../../runs/testing/some-runs.ts";
import { Notices } from "../notices.tsx";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { HistoryPane } from "./history-pane.tsx";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** From the oldest to the newest. */
const names = ["02-story-no-mod", "03-story-swap-name-plot-twist", "04-story-ban-word"];
const prompts = ["One day, Lily went to the park", "The little dog was very sad", "Once upon a time"];
const newestFirst = prompts.toReversed();

let tests = 0;

async function openHistory() {
  tests += 1;
  const runs = createRunRepository(`test.history-pane.${tests}`);
  ends.push(() => runs.close());
  const stores = createTestStores({ runs });
  for (const [when, name] of names.entries())
    await runs.save(runToSave(recordedRun(name), { ...sampleRunPageMetadata, id: name, when: 1000 + when }));
  const nothing = () => {};
  await render(
    <StoresProvider value={stores}>
      <HistoryPane
        onOpened={nothing}
        onForked={nothing}
        onRun={nothing}
        onOpenFile={nothing}
        onDialog={nothing}
        onClose={nothing}
      />
      <Notices notices={stores.notices} />
    </StoresProvider>,
  );
  await waitUntilPasses(() => expect(titles()).toEqual(newestFirst));
  return { runs, stores };
}

const titles = () => [...document.querySelectorAll(".run-title")].map(({ textContent }) => textContent);
const rows = () => [...document.querySelectorAll<HTMLElement>(".run-row")];
const row = (at: number) => rows()[at] ?? document.body;
const list = () => findOnly("[role=listbox]");
const search = () => findOnly<HTMLInputElement>("[type=search]");
const count = () => findOnly(".history-count").textContent;

test("a row for each run, newest first, with its beginning, its mods, its length and its end", async () => {
  await openHistory();
  expect(document.activeElement).toBe(search());
  expect(count()).toBe("3 runs");
  expect(rows().map((each) => findOnly(".run-words", each).textContent)).toEqual([
    expect.stringMatching(/^mod · .* · 300 tokens · token limit$/),
    expect.stringMatching(/^mod, mod · .* · 200 tokens · token limit$/),
    expect.stringMatching(/^no mods · .* · 120 tokens · token limit$/),
  ]);
  expect(findOnly(".run-text", row(0)).textContent).toMatch(/^, there was a little girl named Lily\./);
});

test("words are found in the whole text in any case, and shown where they stand", async () => {
  await openHistory();
  await fill(search(), '"SMALL JEWEL"');
  await waitUntilPasses(() => expect(titles()).toEqual(["The little dog was very sad"]));
  expect(findOnly(".run-text mark").textContent).toBe("small jewel");
  expect(count()).toBe("1 of 3 runs");
  await fill(search(), "PARK lily");
  await waitUntilPasses(() => expect(titles()).toContain("One day, Lily went to the park"));
  expect(titles()).not.toContain("The little dog was very sad");
  await fill(search(), "nowhere-at-all");
  await waitUntilPasses(() => expect(findOnly(".empty-state").textContent).toContain("No run matches."));
  await click(findButton("Show all runs"));
  await waitUntilPasses(() => expect(titles()).toEqual(newestFirst));
  expect(search().value).toBe("");
});

test("a star is saved, and the list can be narrowed to starred runs", async () => {
  const { runs } = await openHistory();
  await click(findOnly("[data-star]", row(1)));
  await waitUntilPasses(() => expect(row(1).textContent).toContain("Starred."));
  expect((await runs.metadata(names)).filter(({ star }) => star).map(({ id }) => id)).toEqual([names[1]]);
  await click(findButton("Starred"));
  expect(titles()).toEqual(["The little dog was very sad"]);
  expect(count()).toBe("1 of 3 runs");
});

test("Delete takes the chosen run out of the list, and Undo puts it back with its star", async () => {
  const { runs } = await openHistory();
  await press(list(), "Home");
  await press(list(), "ArrowDown");
  expect(row(1).getAttribute("aria-selected")).toBe("true");
  await click(findButton("Star this run"));
  await waitUntilPasses(() => expect(row(1).textContent).toContain("Starred."));
  await press(list(), "Delete");
  await waitUntilPasses(() => expect(titles()).toEqual([newestFirst[0], newestFirst[2]]));
  expect(document.activeElement).toBe(list());
  expect(await runs.list()).toHaveLength(2);
  await waitUntilPasses(() => expect(findOnly(".notice").textContent).toContain("1 run deleted."));
  await click(findButton("Undo"));
  await waitUntilPasses(() => expect(titles()).toEqual(newestFirst));
  expect(row(1).textContent).toContain("Starred.");
});

test("Enter opens the chosen run as it was, and its row says that it is shown", async () => {
  const { stores } = await openHistory();
  await press(list(), "End");
  await press(list(), "Enter");
  await waitUntilPasses(() => expect(row(2).getAttribute("aria-current")).toBe("true"));
  expect(row(2).textContent).toContain("shown");
  expect(stores.run.getState().trace.tokens.text).toEqual(recordedRun(names[0] ?? "").tokens.text);
});
