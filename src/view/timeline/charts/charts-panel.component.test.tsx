// @vitest-environment happy-dom
/** The charts over a recorded run: their texts, and what keys select. e2e/page/charts.spec.ts tests their drawing. */
import { useState } from "react";
import { expect, test } from "vitest";
import { rangeOf, type Selection } from "../../../core/trace/model/selection.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { findOnly, press, render } from "../../ui/testing/render.ts";
import { ChartsPanel } from "./charts-panel.tsx";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const count = trace.tokens.text.length;

let selected: Selection | null = null;

function Charts() {
  const [selection, setSelection] = useState<Selection | null>(null);
  selected = selection;
  return (
    <ChartsPanel trace={trace} version={1} running={false} selection={selection} onSelect={setSelection} />
  );
}

const chart = (name: string) => findOnly(`[role=slider][aria-label="${name}"]`);
const names = ["Probability", "Entropy", "Time per token", "Tokens per second", "Tokens by kind"];
const numberSelected = () => {
  const { first, end } = rangeOf(selected ?? { anchor: 0, cursor: -1 });
  return end - first;
};

test("each chart says its values of the whole run, then of the token that is selected", async () => {
  await render(<Charts />);
  for (const name of names)
    expect(chart(name).getAttribute("aria-valuetext")).toMatch(/^The whole run, \d+ tokens: \w+ /);
  await press(chart("Time per token"), "ArrowRight");
  for (const name of names) expect(chart(name).getAttribute("aria-valuetext")).toMatch(/^Token 1: \w+ /);
});

test("keys in one chart select for all", async () => {
  await render(<Charts />);
  const time = chart("Time per token");
  await press(time, "Home");
  await press(time, "Shift+ArrowDown");
  await press(time, "Shift+ArrowRight");
  const many = numberSelected();
  expect(many).toBeGreaterThan(2);
  for (const name of names) expect(chart(name).getAttribute("aria-valuenow")).toBe(String(many));
  expect(chart("Tokens by kind").getAttribute("aria-valuetext")).toMatch(
    new RegExp(`^Tokens 1 to ${many}: chosen [\\d.]+%`),
  );
  await press(time, "End");
  expect(selected).toMatchObject({ anchor: count - 1, cursor: count - 1 });
});

test("a record without times says so, and has the other charts", async () => {
  const { leftOut } = trace;
  const without = Object.create(trace, { leftOut: { value: new Set([...leftOut, "timings"]) } });
  await render(
    <ChartsPanel trace={without} version={1} running={false} selection={null} onSelect={() => {}} />,
  );
  expect(findOnly(".charts-of").textContent).toContain("The times were not saved.");
  expect(document.querySelectorAll(".chart")).toHaveLength(3);
});
