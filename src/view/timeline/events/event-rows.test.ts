import { expect, test } from "vitest";
import { isSilent } from "../../../core/trace/model/call-summary.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { banOfOne, createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import { eventRows, noCallRecord, rowAt, tokenOfEvent } from "./event-rows.ts";
import {
  allClosed,
  allOpen,
  faultPart,
  firstConsoleLinePart,
  noPart,
  treeRows,
  withNodeOpen,
} from "./event-tree.ts";
import { recordText } from "./record-text.ts";
import {
  firstPlaceAboutToken,
  placeOfRow,
  rowIdentityAt,
  shownTableRows,
  shownTreeRows,
} from "./shown-rows.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const rows = eventRows(trace, true);
const brief = eventRows(trace, false);

test("the list holds every event and every call; calls that answered nothing are left out and counted", () => {
  const all = Array.from({ length: rows.count }, (_, row) => rowAt(trace, rows, row));
  const records = (type: string) => trace.records.filter((record) => record.type === type).length;
  expect(all.filter(({ isEvent }) => !isEvent)).toHaveLength(records("modCall"));
  for (const type of ["forwardPass", "added", "backtracked", "finished"])
    expect(
      all.filter((row) => row.isEvent && row.name === type && row.what !== "this event did not complete"),
    ).toHaveLength(records(type));
  const silent = trace.records.filter((record) => record.type === "modCall" && isSilent(record)).length;
  expect(silent).toBeGreaterThan(0);
  expect(brief.hidden).toBe(silent);
  expect(brief.count).toBe(rows.count - silent);
  expect(() => rowAt(trace, rows, rows.count)).toThrow(`There is no row ${rows.count}`);
});

test("every row is found again by its name, in the table and in the tree", () => {
  const found = Uint32Array.from({ length: 60 }, (_, place) => place * 3);
  for (const list of [null, found]) {
    for (const shown of [shownTableRows(rows, list), shownTreeRows(treeRows(trace, rows, list, allOpen))]) {
      for (let place = 0; place < Math.min(shown.count, 500); place += 1)
        expect(placeOfRow(rows, shown, rowIdentityAt(rows, shown, place))).toBe(place);
    }
  }
});

test("a token leads to a row about it", () => {
  const shown = shownTableRows(brief, null);
  for (let token = 0; token < trace.tokens.text.length; token += 7) {
    const event =
      trace.events[rowIdentityAt(brief, shown, firstPlaceAboutToken(trace, brief, shown, token)).event];
    const first = event ? tokenOfEvent(trace, event) : null;
    expect(first).toBeLessThanOrEqual(token);
    expect((first ?? 0) + Math.max(1, event?.tokenCount ?? 0)).toBeGreaterThan(token);
  }
});

test("a closed tree has the events; an open one has all calls with their actions, faults and lines", () => {
  expect(treeRows(trace, rows, null, allClosed).count).toBe(trace.events.length);
  const open = treeRows(trace, rows, null, allOpen);
  const calls = trace.records.filter((record) => record.type === "modCall");
  const lines = calls.reduce((sum, { console }) => sum + console.length, 0);
  expect(open.count).toBe(
    trace.events.length + 2 * calls.length + calls.filter(({ fault }) => fault).length + lines,
  );
  expect([...open.parts].filter((part) => part === faultPart).length).toBeGreaterThan(0);
  expect([...open.parts].filter((part) => part >= firstConsoleLinePart)).toHaveLength(lines);
});

test("of what a filter found the tree shows the events, below them the calls found, or all where only the event was", () => {
  const builder = createTraceBuilder();
  builder.prefill([{ token: 1, text: "x" }]);
  builder.forward(null);
  for (const mod of [0, 1]) builder.call(mod, "forwardPass", banOfOne);
  const small = createTraceModel();
  small.append(builder.records);
  const all = eventRows(small, true);
  const open = withNodeOpen(allClosed, "event 1", true);
  const shownFor = (...found: number[]) => [...treeRows(small, all, Uint32Array.from(found), open).rows];
  expect(shownFor(1)).toEqual([1, 2, 3]);
  expect(shownFor(3)).toEqual([1, 3]);
  expect(shownFor(0, 1, 2)).toEqual([0, 1, 2]);
  expect(rowIdentityAt(all, shownTableRows(all, null), 1)).toEqual({
    event: 1,
    call: noCallRecord,
    part: noPart,
  });
});

test("opening and closing one node changes that one, whatever the others are", () => {
  const one = withNodeOpen(allOpen, "event 3", false);
  expect(withNodeOpen(one, "event 3", false)).toBe(one);
  expect(withNodeOpen(one, "event 3", true)).toEqual(allOpen);
});

test("a record is its own JSON where it is short, and says what was cut where it is long", () => {
  for (const record of trace.records.slice(0, 40)) {
    const text = recordText(record);
    if (!text.includes("… and ")) expect(JSON.parse(text)).toEqual(record);
  }
  const long = recordText({
    tokens: new Array(100_000).fill({ token: 1, text: "a" }),
    text: "b".repeat(9_000),
  });
  expect(long.length).toBeLessThan(10_000);
  expect(long).toContain("… and 99,960 more");
  expect(long).toContain("… and 7,000 more characters");
});
