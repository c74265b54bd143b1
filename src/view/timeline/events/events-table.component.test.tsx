// @vitest-environment happy-dom
/** The event list over a recorded run: filtered in its own language, as a table and as a tree, with raw records. Saved filters: e2e/page/events.spec.ts. */
import { useState } from "react";
import { beforeEach, expect, test } from "vitest";
import type { Selection } from "../../../core/trace/model/selection.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import {
  click,
  fill,
  findButton,
  findOnly,
  press,
  render,
  waitUntilPasses,
} from "../../ui/testing/render.ts";
import { EventsTable } from "./events-table.tsx";
import { type EventsView, initialEventsView } from "./events-view.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);

let selected: Selection | null = null;

function Events() {
  const [view, setView] = useState<EventsView>(initialEventsView);
  const [selection, setSelection] = useState<Selection | null>(null);
  selected = selection;
  return (
    <EventsTable
      trace={trace}
      version={1}
      selection={selection}
      view={view}
      savedFilters={null}
      onView={setView}
      onSelect={setSelection}
      onOpenSource={null}
    />
  );
}

const field = () => findOnly<HTMLInputElement>("[role=combobox]");
const grid = () => findOnly(".event-table");
const counted = () => findOnly(".events-count").textContent;
const activeRow = () => findOnly("tr[aria-selected=true]");

beforeEach(async () => {
  await render(<Events />);
});

/** Fills in a filter, and waits until the list shows what it finds. */
async function filterBy(text: string): Promise<void> {
  await fill(field(), text);
  await waitUntilPasses(() => expect(counted()).toMatch(/^\d+ of [\d,]+ rows$/));
}

test("calls that did nothing are hidden until asked", async () => {
  expect(counted()).toMatch(/^[\d,]+ rows$/);
  const numberOf = (text: string) => Number(text.replace(/\D/g, ""));
  const before = numberOf(counted());
  const show = findButton(/^Show \d+ silent calls$/);
  const silent = numberOf(show.textContent);
  await click(show);
  expect(numberOf(counted())).toBe(before + silent);
  await click(findButton("Hide silent calls"));
  expect(numberOf(counted())).toBe(before);
});

test("the key / leads to the filter; a filter is completed by Enter and Tab", async () => {
  await press(grid(), "/");
  expect(document.activeElement).toBe(field());
  await fill(field(), "ki");
  expect(findOnly("[role=option][aria-selected=true]").textContent).toMatch(/^kind:/);
  await press(field(), "Enter");
  expect(field().value).toBe("kind:");
  await fill(field(), "kind:reinj");
  await press(field(), "Tab");
  expect(field().value).toBe("kind:reinjected ");
  await waitUntilPasses(() => expect(counted()).toMatch(/^\d+ of [\d,]+ rows$/));
});

test("what is wrong with a filter is said on its character", async () => {
  await fill(field(), "kind:reinjected p<lots");
  await waitUntilPasses(() =>
    expect(findOnly(".filter-problem").textContent).toBe("Character 19: “lots” is not a number: p<0.1"),
  );
  await fill(field(), "/a(?=b)/");
  await waitUntilPasses(() =>
    expect(findOnly(".filter-problem").textContent).toMatch(/^Character 3: .*look/i),
  );
});

test("an expression that backtracks for ever elsewhere finds its rows; a row leads to its token and its record", async () => {
  await filterBy("/^(a+)+$|replacement “/");
  expect(findOnly("tr[aria-rowindex='2']").textContent).toContain("replacement “");
  await press(field(), "Enter");
  expect(document.activeElement).toBe(grid());
  await press(grid(), "Home");
  expect(activeRow().textContent).toContain("replacement “");
  await press(grid(), "Enter");
  expect(findOnly("section[aria-label='Raw record']").textContent).toContain('"source": "reinjected"');
  expect(trace.tokens.kind[selected?.cursor ?? -1]).toBe("reinjected");
});

test("the tree opens from the event to the call to its action", async () => {
  await click(findOnly(".segment:last-child input"));
  await filterBy("action:backtrack");
  await waitUntilPasses(() =>
    expect(findOnly("tr[aria-rowindex='2']").getAttribute("aria-expanded")).toBe("false"),
  );
  await press(grid(), "Home");
  for (let level = 1; level < 3; level += 1) {
    expect(activeRow().getAttribute("aria-level")).toBe(String(level));
    expect(activeRow().getAttribute("aria-expanded")).toBe("false");
    await press(grid(), "ArrowRight");
    expect(activeRow().getAttribute("aria-expanded")).toBe("true");
    await press(grid(), "ArrowRight");
  }
  expect(activeRow().textContent).toContain('"type":"backtrack"');
  await press(grid(), "ArrowLeft");
  expect(activeRow().getAttribute("aria-level")).toBe("2");
  await press(grid(), "Enter");
  expect(findOnly("section[aria-label='Raw record']").textContent).toContain('"modCall"');
});
