// @vitest-environment happy-dom
/** Two recorded runs side by side: their texts, the differences one by one, keys, and both runs in numbers. */
import "fake-indexeddb/auto";
import { afterEach, expect, test } from "vitest";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { recordedRun } from "../../../core/trace/testing/recorded-run.ts";
import {
  click,
  findButton,
  findOnly,
  press,
  render,
  waitUntilPasses,
} from "../../../view/ui/testing/render.ts";
import { createRunRepository } from "../../runs/repository.ts";
import { runToSave } from "../../runs/run-to-save.ts";
import { sampleRunPageMetadata } from "../../runs/testing/some-runs.ts";
import { noteRepeatedRun } from "../store/earlier-runs.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { ComparePane } from "./compare-pane.tsx";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

let tests = 0;

/** The pane over `shown`, the run of the page, and a saved run. */
async function compared(shown: TraceModel, saved: TraceModel, other = "saved") {
  tests += 1;
  const runs = createRunRepository(`test.compare-pane.${tests}`);
  ends.push(() => runs.close());
  const stores = createTestStores({ runs });
  await runs.save(runToSave(saved, { ...sampleRunPageMetadata, id: "saved" }));
  await runs.save(runToSave(shown, { ...sampleRunPageMetadata, id: "shown" }));
  stores.run.getState().show(shown, { ...sampleRunPageMetadata, id: "shown", saved: "listed" });
  void stores.compare.getState().compareWith(other);
  const view = await render(
    <StoresProvider value={stores}>
      <ComparePane />
    </StoresProvider>,
  );
  await waitUntilPasses(() => expect(view.textContent).not.toContain("Comparing …"));
  return { stores, view };
}

const withMod = recordedRun("05-story-mood-swings");
const withoutMods = recordedRun("02-story-no-mod");

const list = () => findOnly("[role=listbox]");
const counter = () => findOnly(".compare-steps span").textContent;
const previous = () => findButton("Previous difference (p)");
const next = () => findButton("Next difference (n)");
/** The words of one run as they are drawn, without the white space between them. */
const wordsOf = (letter: string) =>
  [...document.querySelectorAll(`.compare-side[data-letter=${letter}] .word`)]
    .map(({ textContent }) => textContent?.trim())
    .filter(Boolean);
const firstWords = (trace: TraceModel, count: number) =>
  trace.tokens.text
    .map((text) => text.trim())
    .filter(Boolean)
    .slice(0, count);
const cursorLabels = () =>
  [...document.querySelectorAll(".cell-cursor")].map((each) => each.getAttribute("aria-label") ?? "");

test("the run without mods is A, the run with a mod is B, and both texts stand side by side", async () => {
  await compared(withMod, withoutMods);
  const [a, b] = [...document.querySelectorAll(".compare-name")];
  expect(a?.textContent).toMatch(/^AWithout mods · One day, Lily went to the park.*Open this run$/);
  expect(b?.textContent).toMatch(/^BWith mod · One day, Lily went to the park.*on the page now$/);
  expect(wordsOf("A").slice(0, 20)).toEqual(firstWords(withoutMods, 20));
  expect(wordsOf("B").slice(0, 20)).toEqual(firstWords(withMod, 20));
  expect(findOnly(".compare-tools [role=status]").textContent).toBe(
    "The first 1 token is identical. From difference 5 to the end, the texts differ. 12 of the 345 tokens in B are also in A.",
  );
});

test("the buttons go from difference to difference, and the counter says which", async () => {
  const { stores } = await compared(withMod, withoutMods);
  expect(counter()).toBe("Difference 1 of 5");
  expect(previous().disabled).toBe(true);
  for (const number of [2, 3, 4, 5]) {
    await click(next());
    expect(counter()).toBe(`Difference ${number} of 5`);
  }
  expect(next().disabled).toBe(true);
  expect(stores.run.getState().selection).toMatchObject({ anchor: 103, cursor: 103 });
  await click(previous());
  expect(counter()).toBe("Difference 4 of 5");
  expect(next().disabled).toBe(false);
});

test("keys move the cursor in both texts, and a click puts it elsewhere", async () => {
  await compared(withMod, withoutMods);
  expect(cursorLabels()).toHaveLength(2);
  expect(cursorLabels()[0]).toMatch(/^A, token 2, .*only here/);
  await press(list(), "Home");
  expect(cursorLabels()[0]).toMatch(/^A, token 1, .*the same in both/);
  expect(cursorLabels()[1]).toMatch(/^B, token 1, .*the same in both/);
  expect(list().getAttribute("aria-activedescendant")).toBe("compare-right-0");
  await press(list(), "ArrowRight");
  expect(cursorLabels()[1]).toMatch(/^B, token 2, /);
  await click(findOnly("#compare-left-3"));
  expect(cursorLabels()[0]).toMatch(/^A, token 4, /);
  expect(findOnly(".compare-detail").textContent).toContain("token 4 of 120");
});

test("a long stretch that both runs have is folded, until Enter shows its words", async () => {
  const whole = recordedRun("04-story-ban-word");
  const stopped = createTraceModel();
  stopped.append(whole.records.slice(0, Math.floor(whole.records.length / 2)));
  await compared(stopped, whole);
  const count = stopped.tokens.text.length;
  expect(findOnly(".compare-fold").textContent).toBe(`${count - 16} tokens are the same in both`);
  await press(list(), "Home");
  expect(findOnly(".cell-cursor").className).toContain("compare-fold");
  await press(list(), "Enter");
  expect(document.querySelector(".compare-fold")).toBeNull();
  expect(cursorLabels()[0]).toMatch(/^A, token 1, /);
});

test("both runs in numbers, with the settings that differ", async () => {
  await compared(withMod, withoutMods);
  const rows = new Map(
    [...document.querySelectorAll(".compare-table tr")].map((row) => {
      const [name, ...cells] = [...row.children].map(({ textContent }) => textContent);
      return [name, cells];
    }),
  );
  // The end token of B is no token of its text.
  expect(rows.get("Tokens")).toEqual(["120", "344", "+224"]);
  expect(rows.get("How the run ended")?.slice(0, 2)).not.toContain("Still running");
  expect(rows.has("Settings that differ")).toBe(true);
  expect(rows.get("Seed")?.slice(0, 2)).toEqual(["101", "104"]);
});

test("a run that is not saved cannot be compared, and Close ends the comparison", async () => {
  const { stores } = await compared(withMod, withoutMods, "nowhere");
  expect(findOnly("[role=alert]").textContent).toMatch(
    /^The runs cannot be compared\. .*not saved in this browser/,
  );
  await click(findButton("Close"));
  expect(stores.compare.getState().other).toBeNull();
});

test("a run that repeats a run from a link: the title of the other run says that it is the recorded one", async () => {
  const shown = recordedRun("05-story-mood-swings");
  noteRepeatedRun(shown, { trace: withoutMods, id: "saved" });
  const { view } = await compared(shown, withoutMods);
  const titles = [...view.querySelectorAll(".compare-name")].map(({ textContent }) => textContent);
  expect(titles[0]).toContain("recorded in the link");
  expect(titles[1]).not.toContain("recorded");
});
