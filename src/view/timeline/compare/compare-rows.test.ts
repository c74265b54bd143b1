/** The rows of two compared runs have every column once. Long equal stretches between differences are folded. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { comparing } from "../../../core/trace/compare/compare.ts";
import { type Comparison, firstDivergence } from "../../../core/trace/compare/comparison.ts";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder } from "../../../core/trace/testing/trace-builder.ts";
import {
  alignedTokenProbabilities,
  cellsInRow,
  changedWordCellIndices,
  comparisonRows,
  contextColumnCount,
  differenceLabel,
  differenceLook,
  differenceToTheEnd,
  formatPercentagePoints,
  formatSignedNumber,
  rowOfColumn,
} from "./compare-rows.ts";

/** A run of these tokens, each with the given probability; 0.5 by default. */
function runOf(
  tokens: readonly number[],
  odds: readonly number[] = [],
  textOf = (token: number) => ` ${token}`,
): TraceModel {
  const builder = createTraceBuilder();
  tokens.forEach((token, place) => {
    builder.sample({ token, text: textOf(token) }, { logprobBefore: Math.log(odds[place] ?? 0.5) });
    builder.add([{ token, text: textOf(token) }], "sampled");
  });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);
const compare = (left: TraceModel, right: TraceModel): Comparison => runToEnd(comparing(left, right));
const rowsOf = (left: readonly number[], right: readonly number[], unfolded: readonly number[] = []) =>
  rowsOfRuns(runOf(left), runOf(right), unfolded);
const rowsOfRuns = (left: TraceModel, right: TraceModel, unfolded: readonly number[] = []) =>
  comparisonRows(compare(left, right), { left, right }, new Set(unfolded)).map(
    ({ type, first, end }) => `${type} ${first}-${end}`,
  );

test.each([
  ["nothing", [], [], []],
  [
    "the same, however long, is drawn whole",
    numbers(80),
    numbers(80),
    ["text 0-32", "text 32-64", "text 64-80"],
  ],
  [
    "the parting begins a row, and what is long before it is folded up to a few words",
    [...numbers(100), 500],
    [...numbers(100), 501],
    [`folded 0-${100 - contextColumnCount}`, "text 84-100", "text 100-101"],
  ],
  [
    "what is long between two differences is folded in its middle, what is long at the end to the end",
    [500, ...numbers(60), 501, ...numbers(60, 100)],
    [600, ...numbers(60), 601, ...numbers(60, 100)],
    ["text 0-17", "folded 17-45", "text 45-77", "text 77-78", "folded 78-122"],
  ],
  [
    "what would hide little is not folded",
    [...numbers(20), 500],
    [...numbers(20), 501],
    ["text 0-20", "text 20-21"],
  ],
])("%s", (_name, left, right, rows) => expect(rowsOf(left, right)).toEqual(rows));

test("the row that begins with the first difference begins with its whole word", () => {
  const run = (last: string) => runOf(numbers(4), [], (token) => [" a", " Lil", "i", last][token] ?? "");
  const [left, right] = [run("an"), runOf([0, 1, 2, 9], [], (token) => [" a", " Lil", "i"][token] ?? "put")];
  expect(firstDivergence(compare(left, right))).toBe(3);
  expect(rowsOfRuns(left, right)).toEqual(["text 0-1", "text 1-4"]);
});

test("no word is broken between two rows, unless it is a long one; what differs is broken later", () => {
  const pieces = (first: string) => runOf(numbers(140), [], (token) => (token % 5 === 0 ? first : "x"));
  expect(rowsOfRuns(pieces(" x"), pieces(" x"))).toEqual([
    "text 0-35",
    "text 35-70",
    "text 70-105",
    "text 105-140",
  ]);
  expect(rowsOfRuns(pieces("x"), pieces("x"))).toEqual(["text 0-48", "text 48-96", "text 96-140"]);
  expect(rowsOf(numbers(140), numbers(140, 1_000))).toEqual(["text 0-128", "text 128-140"]);
});

test("a stretch that was unfolded is drawn whole", () =>
  expect(rowsOf([...numbers(40), 500], [...numbers(40), 501], [0])).toEqual([
    "text 0-32",
    "text 32-40",
    "text 40-41",
  ]));

test("whatever the runs, every column is in one row, and every token of a drawn one in one cell of its side", () => {
  const list = fc.array(fc.nat(3), { maxLength: 12 });
  const runs = fc
    .tuple(list, fc.nat(90), list, fc.nat(90), list)
    .map(([start, same, middle, next, end]) => [
      ...start,
      ...numbers(same, 10),
      ...middle,
      ...numbers(next, 200),
      ...end,
    ]);
  fc.assert(
    fc.property(runs, runs, (left, right) => {
      const [one, other] = [runOf(left), runOf(right)];
      const comparison = compare(one, other);
      const rows = comparisonRows(comparison, { left: one, right: other }, new Set());
      let column = 0;
      for (const [place, row] of rows.entries()) {
        expect(row.first).toBe(column);
        expect(row.end).toBeGreaterThan(column);
        expect([rowOfColumn(rows, row.first), rowOfColumn(rows, row.end - 1)]).toEqual([place, place]);
        column = row.end;
      }
      expect(column).toBe(comparison.columns);
      const whole = { type: "text", first: 0, end: comparison.columns } as const;
      expect(cellsInRow(comparison, whole, "left").map(({ index }) => index)).toEqual(comparison.left);
      expect(cellsInRow(comparison, whole, "right").map(({ index }) => index)).toEqual(comparison.right);
    }),
    { numRuns: 60 },
  );
});

test("odds of a column: how much likelier on the right; nothing where the texts differ", () => {
  const [left, right] = [runOf([1, 2, 3], [0.5, 0.1, 0.2]), runOf([1, 2, 4], [0.5, 0.4, 0.3])];
  const comparison = compare(left, right);
  const at = (column: number) => alignedTokenProbabilities(comparison, { left, right }, column);
  expect(at(0)?.difference).toBeCloseTo(0);
  expect(at(1)?.difference).toBeCloseTo(0.3);
  expect(at(2)).toMatchObject({ difference: null, segment: { kind: "changed" } });
  expect(at(2)?.rightProbability).toBeCloseTo(0.3);
});

test.each([
  [null, null],
  [0.04, null],
  [-0.06, "less"],
  [0.24, "more"],
  [-0.25, "much-less"],
  [0.9, "much-more"],
])("a difference of %d is drawn as %s", (difference, look) => expect(differenceLook(difference)).toBe(look));

test.each([
  [0.123, "+0.12"],
  [-0.5, "−0.50"],
  [0.001, "0.00"],
  [-0.001, "0.00"],
])("%d is written %s", (value, text) => expect(formatSignedNumber(value)).toBe(text));

test.each([
  [0.123, "+12"],
  [-0.334, "−33"],
  [0.001, "0"],
])("a difference of %d is %s points", (value, text) => expect(formatPercentagePoints(value)).toBe(text));

test("which difference the cursor is at", () => {
  const comparison = compare(runOf([1, 6, 2, 3, 9]), runOf([1, 5, 2, 3, 8]));
  expect(firstDivergence(comparison)).toBe(1);
  expect([0, 1, 3, 4].map((column) => differenceLabel(comparison, column))).toEqual([
    "2 differences",
    "Difference 1 of 2",
    "Difference 1 of 2",
    "Difference 2 of 2",
  ]);
  const same = compare(runOf([1, 2]), runOf([1, 2]));
  expect(differenceLabel(same, 0)).toBe("No difference");
});

test.each([
  ["two words at the end", [1, 2, 3, 9, 8], [1, 5, 3, 7, 6], 2],
  ["all", [1, 2], [3, 4], 1],
  ["one run only writes more", [1], [1, 2, 3], null],
  ["one run is empty", [], [1, 2, 3], null],
  ["only the last word", [1, 2], [1, 3], null],
  ["a word in the middle", [1, 2, 3], [1, 5, 3], null],
  ["nothing", [1, 2], [1, 2], null],
] as const)("the difference that reaches to the end: %s", (_name, left, right, number) =>
  expect(differenceToTheEnd(compare(runOf(left), runOf(right)))).toBe(number),
);

test("all letters of a word that differs in one token are in a changed word", () => {
  const texts = [" f", "e", "el", " happy", ".", "\n", "One"];
  const kinds = ["same", "changed", "same", "same", "changed", "same", "same"] as const;
  const cells = kinds.map((kind, index) => ({ kind, index, column: index }));
  expect([...changedWordCellIndices(cells, texts)]).toEqual([0, 1, 2, 4]);
  expect([...changedWordCellIndices([], texts)]).toEqual([]);
});
