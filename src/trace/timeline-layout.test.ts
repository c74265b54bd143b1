import { describe, expect, test } from "vitest";
import { brushedTokens, columnOf, overviewColumns, overviewMark } from "./overview-columns.ts";
import { sampleTrace } from "./testing/sample-trace.ts";
import { createTraceBuilder, requestRecord } from "./testing/trace-builder.ts";
import {
  cellAt,
  cellOf,
  createRibbonLayout,
  ghostRoom,
  type RibbonLayout,
  tokenOnNextLine,
  visibleLines,
} from "./timeline-layout.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";
import { visibleText } from "./visible-text.ts";

/** Ten pixels for a character, no padding. */
const options = (width: number, folded = false) => ({
  width,
  lineHeight: 30,
  padding: 0,
  measure: (text: string) => 10 * text.length,
  isFolded: () => folded,
});

function modelOf(texts: readonly string[], removeAt = -1, count = 0): TraceModel {
  const builder = createTraceBuilder(requestRecord());
  texts.forEach((text, place) => {
    builder.add([{ token: place, text }], "sampled");
    if (place === removeAt) builder.backtrack(0, count, 0);
  });
  const model = createTraceModel();
  model.append(builder.records);
  return model;
}

const drawn = (layout: RibbonLayout) =>
  layout.lines.map(({ cells }) => cells.map(({ text }) => text).join("|"));

test.each([
  [["a", " b", " c"], 40, ["a| b", " c"]],
  [["On", "ce", " up", "on"], 80, ["On|ce", " up|on"]],
  [["On", "ce", " up", "on"], 100, ["On|ce| up|on"]],
  [["abcdef", "ghi", "jkl"], 60, ["abcdef", "ghi|jkl"]],
  [["a", " bcdef", "ghi", "jkl"], 70, ["a", " bcdef", "ghi|jkl"]],
  [["one\n", "two", "\n", "\n", "x"], 200, ["one↵", "two|↵", "↵", "x"]],
  [["", "x"], 40, ["∅|x"]],
  [["averylongtokenindeed"], 50, ["averylongtokenindeed"]],
  [[], 50, []],
])("%j in %i px wraps to %j", (texts, width, expected) => {
  const layout = createRibbonLayout(options(width));
  layout.update(modelOf(texts));
  expect(drawn(layout)).toEqual(expected);
  expect(layout.height).toBe(30 * expected.length);
  for (const { cells } of layout.lines) {
    for (const { x, width: cell } of cells) expect(x + cell).toBeLessThanOrEqual(width);
  }
});

test.each([
  ["not folded", false, ["a| b| c| d| e"]],
  ["folded", true, ["a|⋯| d| e"]],
])("a removed span, %s", (_, folded, expected) => {
  const layout = createRibbonLayout(options(400, folded));
  const model = modelOf(["a", " b", " c", " d", " e"], 2, 2);
  layout.update(model);
  expect(drawn(layout)).toEqual(expected);
  expect(cellOf(layout, 2)?.tokenCount).toBe(folded ? 2 : 1);
});

describe("while tokens stream", () => {
  const { records } = sampleTrace();

  test.each([[false], [true]])("the result is that of laying out at once (folded: %s)", (folded) => {
    const model = createTraceModel();
    const growing = createRibbonLayout(options(620, folded));
    for (const record of records) {
      model.append([record]);
      growing.update(model);
    }
    const once = createRibbonLayout(options(620, folded));
    once.update(model);
    expect(growing.lines).toEqual(once.lines);
    for (let token = 0; token < model.tokens.text.length; token += 1) {
      expect(growing.lineOf(token)).toBe(once.lineOf(token));
    }
  });

  test("lines before the reported one stay as they were, and so do all but the last", () => {
    const model = createTraceModel();
    const layout = createRibbonLayout(options(620));
    let before: string[] = [];
    for (const record of records) {
      model.append([record]);
      const changed = layout.update(model);
      const now = layout.lines.map((line) => JSON.stringify(line));
      expect(changed).toBeGreaterThanOrEqual(before.length - 1);
      expect(now.slice(0, changed)).toEqual(before.slice(0, changed));
      before = now;
    }
    expect(before.length).toBeGreaterThan(5);
  });

  test("an update costs what is new: each text is measured once", () => {
    let measured = 0;
    const model = createTraceModel();
    const layout = createRibbonLayout({
      ...options(620),
      measure: (text) => 10 * text.length + 0 * measured++,
    });
    for (const record of records) {
      model.append([record]);
      layout.update(model);
    }
    expect(measured).toBe(new Set(model.tokens.text).size);
  });
});

test("points, lines and neighbours are found", () => {
  const layout = createRibbonLayout(options(60));
  const model = modelOf(["one", " tw", "o", " three", " x"]);
  layout.update(model);
  expect(drawn(layout)).toEqual(["one", " tw|o", " three", " x"]);
  expect(cellAt(layout, 35, 31)?.token).toBe(2);
  expect(cellAt(layout, 55, 31)).toBeNull();
  expect(cellAt(layout, 0, 1000)).toBeNull();
  expect(visibleLines(layout, 29, 32)).toEqual([0, 3]);
  expect(visibleLines(layout, -50, 10_000)).toEqual([0, 4]);
  expect(tokenOnNextLine(layout, 0, 1)).toBe(1);
  expect(tokenOnNextLine(layout, 3, -1)).toBe(1);
  expect(tokenOnNextLine(layout, 4, 1)).toBe(4);
  expect(cellOf(layout, 99)).toBeNull();
  expect(ghostRoom(layout, model, 1)).toBe(60);
});

describe("the overview strip", () => {
  const model = createTraceModel();
  model.append(sampleTrace().records);
  const count = model.tokens.text.length;

  test.each([[1], [50], [count], [5000]])("in %i columns covers every token once", (width) => {
    const { starts, marks, surprisal } = overviewColumns(model, width);
    expect(starts[0]).toBe(0);
    expect(starts.at(-1)).toBe(count);
    expect(marks.length).toBe(Math.min(width, count));
    expect(surprisal.every((bits) => bits >= 0)).toBe(true);
    for (let token = 0; token < count; token += 1) {
      const column = columnOf(starts, token);
      expect(starts[column]).toBeLessThanOrEqual(token);
      expect(starts[column + 1]).toBeGreaterThan(token);
    }
    const all = marks.reduce((bits, mark) => bits | mark, 0);
    expect(all).toBe(63 - overviewMark.end);
  });

  test("is empty without tokens", () => {
    expect(overviewColumns(createTraceModel(), 100).marks).toHaveLength(0);
  });

  test.each([
    [0, 100, [0, 10]],
    [100, 0, [0, 10]],
    [50, 50, [5, 6]],
    [-20, 10, [0, 1]],
    [100, 100, [9, 10]],
  ])("brushing from %i to %i of 100 px takes tokens %j of 10", (from, to, expected) => {
    expect(brushedTokens(10, 100, from, to)).toEqual(expected);
  });
});

test.each([
  ["a\tb\n", "a⇥b↵"],
  ["\u0000\u001b", "␀␛"],
  ["\u202eevil", "\ufffdevil"],
  ["<b>", "<b>"],
])("%j is shown as %j", (text, expected) => {
  expect(visibleText(text)).toBe(expected);
});
test("an endless text is cut", () => {
  expect(visibleText("x".repeat(70_000))).toHaveLength(80);
});
