// @vitest-environment happy-dom
/** The tracks over recorded runs: names of lanes, keys, zoom, and the table. e2e/page/tracks.spec.ts tests drawing and pointers. */
import { useState } from "react";
import { expect, test } from "vitest";
import { type Selection, selectToken } from "../../../core/trace/model/selection.ts";
import { timeByPart } from "../../../core/trace/model/time-by-part.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { recordedRun } from "../../../core/trace/testing/recorded-run.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { click, findButton, findOnly, press, render } from "../../ui/testing/render.ts";
import { TimeByPartTable } from "./parts-table.tsx";
import { TracksPanel } from "./tracks-panel.tsx";
import { useTracksView } from "./use-tracks-view.ts";

/** A run of a model; its file has no durations. */
const recorded = recordedRun("03-story-swap-name-plot-twist");
/** A run with durations. */
const timed = createTraceModel();
timed.append(sampleTrace().records);

let selected: Selection | null = null;

function Tracks({ trace }: { trace: TraceModel }) {
  const [selection, setSelection] = useState<Selection | null>(null);
  selected = selection;
  const { shown, onShow } = useTracksView(trace, false);
  return (
    <TracksPanel
      trace={trace}
      version={1}
      running={false}
      selection={selection}
      shown={shown}
      onShow={onShow}
      onSelect={setSelection}
    />
  );
}

const tracks = () => findOnly("[role=slider][aria-label=Tracks]");
const caption = () => findOnly(".parts-table caption").textContent;
const wholeRun = () => findButton("Whole run");
const radios = () => [...document.querySelectorAll<HTMLInputElement>("[type=radio]")];
/** The cells of each row of the table. */
const table = () =>
  [...document.querySelectorAll(".parts-table tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

test("a lane and a row for the model, the sampler and each mod of the recorded run", async () => {
  await render(<Tracks trace={recorded} />);
  expect([...document.querySelectorAll(".track-names li")].map(({ textContent }) => textContent)).toEqual([
    "Model",
    "Sampling",
    "mod",
    "mod",
    "Output",
  ]);
  expect(caption()).toMatch(/^All tokens took /);
  expect(table().map((cells) => cells.slice(0, 2))).toEqual([
    ["part", "count"],
    ["Reading the prompt", "1"],
    ["Forward passes", "186"],
    ["Sampling", "187"],
    ["mod", "189"],
    ["mod", "189"],
  ]);
  expect(document.querySelector(".parts-spans")).toBeNull();
});

test("keys select tokens: the slider says their work, and the table and the list are of them alone", async () => {
  await render(<Tracks trace={timed} />);
  expect(tracks().getAttribute("aria-valuetext")).toBe("no token selected");
  await press(tracks(), "Home");
  expect(tracks().getAttribute("aria-valuetext")).toMatch(
    /^token 1 of \d+, .*; Reading the prompt [\d.]+ [mµ]?s; Sampling [\d.]+ [mµ]?s; call-her-lily /,
  );
  expect(caption()).toMatch(/^Token 1 took [\d.]+ [mµ]?s$/);
  for (let times = 0; times < 3; times += 1) await press(tracks(), "Shift+ArrowRight");
  expect(selected).toMatchObject({ anchor: 0, cursor: 3 });
  expect(tracks().getAttribute("aria-valuetext")).toContain(", 4 tokens selected; Forward passes ");
  expect(caption()).toMatch(/^Tokens 1 to 4 took /);
  const spans = [...findOnly(".parts-spans").children].map(({ textContent }) => textContent);
  expect(spans[0]).toMatch(/^Prompt: 1 token read [\d.]+ [mµ]?s$/);
  expect(spans[1]).toMatch(/^Forward pass for token 2: 1 token read [\d.]+ [mµ]?s$/);
  expect(spans.filter((each) => each?.startsWith("Sampling for token "))).toHaveLength(4);
  expect(table().find(([part]) => part === "Sampling")?.[1]).toBe("4");
});

test("a token that was forced together with others, without work of its own, has no empty table", async () => {
  const idle = recorded.tokens.text.findIndex(
    (_, index) => timeByPart(recorded, { first: index, end: index + 1 }).length === 0,
  );
  expect(idle).toBeGreaterThan(-1);
  const draw = (index: number) =>
    render(
      <TimeByPartTable trace={recorded} version={1} selection={selectToken(index)} onSelect={() => {}} />,
    );
  const busy = await draw(0);
  expect(busy.querySelector(".parts-table thead")).not.toBeNull();
  const view = await draw(idle);
  expect(view.textContent).toContain(`Token ${idle + 1}`);
  expect(view.querySelector(".parts-table thead")).toBeNull();
});

test("buttons and keys zoom, until the whole run is in view again", async () => {
  await render(<Tracks trace={recorded} />);
  const isWhole = () => wholeRun().disabled && findButton("Zoom out").disabled;
  expect(isWhole()).toBe(true);
  await click(findButton("Zoom in"));
  expect(isWhole()).toBe(false);
  await click(findButton("Zoom in"));
  await click(findButton("Zoom out"));
  expect(isWhole()).toBe(false);
  await click(findButton("Zoom out"));
  expect(isWhole()).toBe(true);
  await press(tracks(), "Home");
  await press(tracks(), "z");
  expect(isWhole()).toBe(false);
  await press(tracks(), "0");
  expect(isWhole()).toBe(true);
  for (const key of ["w", "d"]) await press(tracks(), key);
  expect(isWhole()).toBe(false);
  await click(wholeRun());
  expect(isWhole()).toBe(true);
});

test("by time the same token is selected, and all of the run is in view", async () => {
  await render(<Tracks trace={timed} />);
  await press(tracks(), "End");
  const last = String(timed.tokens.text.length);
  await click(findButton("Zoom in"));
  const [byToken, byTime] = radios();
  expect([byToken?.checked, byTime?.checked]).toEqual([true, false]);
  if (byTime) await click(byTime);
  expect(radios().map(({ checked }) => checked)).toEqual([false, true]);
  expect(wholeRun().disabled).toBe(true);
  expect(tracks().getAttribute("aria-valuenow")).toBe(last);
});

test("the longest time of a part selects its token", async () => {
  await render(<Tracks trace={timed} />);
  const button = findButton(/ at token \d+$/, findOnly(".parts-table"));
  const token = Number(/\d+$/.exec(button.textContent ?? "")?.[0]);
  await click(button);
  expect(selected).toMatchObject({ anchor: token - 1, cursor: token - 1 });
  expect(tracks().getAttribute("aria-valuenow")).toBe(String(token));
});

test("a run that was saved without times has the tracks by token and a table of counts", async () => {
  const without = Object.create(timed, { leftOut: { value: new Set([...timed.leftOut, "timings"]) } });
  await render(<Tracks trace={without} />);
  expect(radios()).toHaveLength(1);
  expect(caption()).toBe("All tokens: the times were not saved");
  expect(table()[0]).toEqual(["part", "count"]);
  await press(tracks(), "Home");
  expect(tracks().getAttribute("aria-valuetext")).toMatch(/; Reading the prompt; Sampling; call-her-lily$/);
});
