import { expect, test } from "vitest";
import { sampleTrace } from "../../trace/testing/sample-trace.ts";
import { createTraceModel } from "../../trace/trace-model.ts";
import { eventList } from "../../trace/trace-view.ts";
import { filterRows, rowsOf } from "./event-rows.ts";
import { inspect } from "./inspection.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const first = (kind: string) => trace.tokens.kind.indexOf(kind as never);

test("a forced token says who forced it, where, and what would have been", () => {
  const { sentences, calls } = inspect(trace, first("forced"));
  expect(sentences.join(" ")).toMatch(
    /^Forced by call-her-lily at added: the model did not choose it\. The model would have written '.+?'/,
  );
  expect(
    calls.some(({ modName, summary }) => modName === "call-her-lily" && summary.startsWith("force")),
  ).toBe(true);
});

test("an adjusted token shows its alternatives before and after, itself among them", () => {
  const { alternatives, hasAfter, calls } = inspect(trace, first("adjusted"));
  expect(hasAfter).toBe(true);
  expect(alternatives.filter(({ chosen }) => chosen)).toHaveLength(1);
  expect(alternatives.some(({ before }) => before !== null)).toBe(true);
  expect(alternatives.some(({ after }) => after !== null)).toBe(true);
  expect(calls.map(({ summary }) => summary)).toContain("banned 1 token");
});

test("a removed token says what stands in its place, and the other way round", () => {
  const [span] = trace.spans;
  expect(inspect(trace, span?.removed[0] ?? -1).sentences.at(-1)).toMatch(
    /^Removed by call-her-lily, which put '/,
  );
  expect(inspect(trace, span?.replacedBy[0] ?? -1).sentences[1]).toMatch(/^It stands in place of '/);
});

test("every token of a run can be inspected", () => {
  trace.tokens.text.forEach((_text, index) => {
    const { sentences, row } = inspect(trace, index);
    expect(sentences[0]).not.toBe("");
    expect(row.index).toBe(index);
  });
});

test("the event table holds every event and every call, and filters by words", () => {
  const rows = eventList(trace).flatMap((entry) => rowsOf(trace, entry));
  const records = (type: string) => trace.records.filter((record) => record.type === type).length;
  expect(rows.filter(({ isEvent }) => !isEvent)).toHaveLength(records("modCall"));
  for (const type of ["forwardPass", "added", "backtracked", "finished"]) {
    expect(
      rows.filter((row) => row.isEvent && row.name === type && row.what !== "did not complete"),
    ).toHaveLength(records(type));
  }
  const found = filterRows(rows, "Backtrack LILY");
  expect(found.length).toBeGreaterThan(0);
  expect(found.every(({ haystack }) => haystack.includes("backtrack") && haystack.includes("lily"))).toBe(
    true,
  );
  expect(filterRows(rows, "  ")).toBe(rows);
});
