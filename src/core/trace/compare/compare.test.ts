/** Two outputs side by side: equal tokens, the first difference, and which tokens share a column. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { runToEnd } from "../../base/resumable-work.ts";
import { createTraceModel, type TraceModel } from "../model/trace-model.ts";
import { arbitraryTrace } from "../testing/arbitrary-trace.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { comparing } from "./compare.ts";
import {
  type Comparison,
  columnCountOf,
  columnOf,
  firstDivergence,
  nextDifference,
  type PlaceRange,
  placesAt,
  segmentAt,
} from "./comparison.ts";

const stories = requestRecord().model;

/** A run whose output has these tokens. A number is the id of a token without text, such as a part of a character. */
function runOf(pieces: readonly (string | number)[], model: Partial<typeof stories> = {}): TraceModel {
  const builder = createTraceBuilder(requestRecord({ model: { ...stories, ...model } }));
  for (const piece of pieces) {
    const token = typeof piece === "number" ? piece : 1_000 + hash(`${piece}${model.id ?? ""}`);
    builder.add([{ token, text: typeof piece === "number" ? "" : piece }], "sampled");
  }
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

const hash = (text: string) =>
  [...text].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 99_991, 7);

const compare = (left: TraceModel, right: TraceModel) => runToEnd(comparing(left, right));

/** The segments as a short text, for tables of tests: `= the cat | - Lily + Max | ~ Ma+x/Max`. */
function inWords({ segments, left, right }: Comparison, one: TraceModel, other: TraceModel): string {
  const text = (model: TraceModel, outputTokens: readonly number[], { first, end }: PlaceRange) =>
    outputTokens
      .slice(first, end)
      .map((index) => model.tokens.text[index] || `#${model.tokens.token[index]}`);
  return segments
    .map((segment) => {
      const [mine, yours] = [text(one, left, segment.left), text(other, right, segment.right)];
      if (segment.kind === "same") return `=${mine.join("")}`;
      if (segment.kind === "respelled") return `~${mine.join("|")}/${yours.join("|")}`;
      return `-${mine.join("")}+${yours.join("")}`;
    })
    .join(" ");
}

test.each([
  ["the same", ["a", "b"], ["a", "b"], "=ab"],
  ["nothing", [], [], ""],
  ["one is empty", ["a"], [], "-a+"],
  ["another word in the middle", ["the", " cat", " ran"], ["the", " dog", " ran"], "=the - cat+ dog = ran"],
  ["one goes on", ["a"], ["a", "b"], "=a -+b"],
  ["the same text in other pieces", ["a", " Ma", "x", " b"], ["a", " Max", " b"], "=a ~ Ma|x/ Max = b"],
  ["other pieces, then another text", ["Ma", "x", " ran"], ["Max", " sat"], "~Ma|x/Max - ran+ sat"],
  ["another text, then other pieces", ["ran", " Ma", "x"], ["sat", " Max"], "-ran+sat ~ Ma|x/ Max"],
  ["pieces that begin alike and end otherwise", ["Ma", "x"], ["Mary"], "-Max+Mary"],
  ["two characters whose parts have no text", [1, "é"], [2, "ü"], "-#1é+#2ü"],
  [
    "words in common by chance, fewer than differ around them",
    ["x", "one", "two", "and", "three", "four"],
    ["x", "five", "six", "and", "seven", "eight"],
    "=x -onetwoandthreefour+fivesixandseveneight",
  ],
  [
    "a sentence in common, between more words that differ",
    [..."abcdefghij", ..."12345678", ..."klmnopqrst"],
    [..."ABCDEFGHIJ", ..."12345678", ..."KLMNOPQRST"],
    "-abcdefghij+ABCDEFGHIJ =12345678 -klmnopqrst+KLMNOPQRST",
  ],
  [
    "one word in common between two that differ",
    ["a", " and", " b"],
    ["c", " and", " d"],
    "-a+c = and - b+ d",
  ],
  [
    "a word that shares letters with another word by chance",
    ["so", " f", "e", "el", " good", ",", " you"],
    ["so", ",", " f", "e", "lt", " good", ",", " you"],
    "=so - feel+, felt = good, you",
  ],
  [
    "the end of a word that is the end of another word",
    [" I", " walk", "ed", " here"],
    [" I", " jump", "ed", " here"],
    "= I - walked+ jumped = here",
  ],
  [
    "the same beginning of a word in other pieces",
    ["It", " was", " f", "e", "lt"],
    ["It", " was", " fe", "el"],
    "=It was - felt+ feel",
  ],
  ["the outputs part inside a word", ["a", " Lil", "y"], ["a", " Lil", "ian"], "=a Lil -y+ian"],
  [
    "what is no word may be common in part",
    ["我", "很", "高", "兴"],
    ["你", "很", "高", "兴"],
    "-我+你 =很高兴",
  ],
  [
    "letters without end are no word",
    ["A", ..."0123456789abcdefghij"],
    ["B", ..."0123456789abcdefghij"],
    "-A+B =0123456789abcdefghij",
  ],
] as const)("%s", (_name, left, right, words) => {
  const [one, other] = [runOf(left), runOf(right)];
  const comparison = compare(one, other);
  expect(inWords(comparison, one, other)).toBe(words);
  expect(comparison.byText).toBe(false);
});

test("runs of other models are compared by their text, also where its tokens are others", () => {
  const one = runOf(["Once", " upon", " a", " time"], { id: "one" });
  const other = runOf(["On", "ce", " upon", " a", " day"], { id: "other" });
  const comparison = compare(one, other);
  expect(comparison.byText).toBe(true);
  expect(inWords(comparison, one, other)).toBe("~Once/On|ce = upon a - time+ day");
});

test("what a mod removed is not compared", () => {
  const builder = createTraceBuilder();
  for (const text of ["a", "Tom"]) builder.add([{ token: hash(text), text }], "sampled");
  builder.call(0, "added", { type: "backtrack", count: 1, tokens: [9], text: "Lily", cut: 0 });
  builder.backtrack(0, 1, 1);
  builder.add([{ token: 9, text: "Lily" }], "reinjected");
  const one = createTraceModel();
  one.append(builder.finish("length").records);
  const other = createTraceModel();
  const plain = createTraceBuilder();
  for (const [token, text] of [
    [hash("a"), "a"],
    [9, "Lily"],
  ] as const)
    plain.add([{ token, text }], "sampled");
  other.append(plain.finish("length").records);
  const comparison = compare(one, other);
  expect(inWords(comparison, one, other)).toBe("=aLily");
  expect(comparison.left).toEqual([0, 2]);
  expect(columnOf(comparison, "left", 1)).toBeNull();
  expect(columnOf(comparison, "left", 2)).toBe(1);
});

test("from difference to difference", () => {
  const comparison = compare(
    runOf(["a", " b", " b", " c", " d", " e", " e", " e"]),
    runOf(["a", " x", " y", " c", " d", " e", " e", " e", " z"]),
  );
  expect(firstDivergence(comparison)).toBe(1);
  expect(nextDifference(comparison, 0, 1)).toBe(1);
  expect(nextDifference(comparison, 1, 1)).toBe(8);
  expect(nextDifference(comparison, 8, 1)).toBeNull();
  expect(nextDifference(comparison, 8, -1)).toBe(1);
  expect(nextDifference(comparison, 2, -1)).toBe(1);
  expect(nextDifference(comparison, 1, -1)).toBeNull();
  expect(firstDivergence(compare(runOf(["a"]), runOf(["a"])))).toBeNull();
});

const piece = fc.constantFrom("a", "b", " a", "ab", " ", "ba", 1, 2);
const pieces = fc.array(piece, { maxLength: 30 });
const anyRun = fc.oneof(
  fc.tuple(pieces, fc.constantFrom("one", "other")).map(([list, id]) => runOf(list, { id })),
  arbitraryTrace.map(({ records }) => {
    const trace = createTraceModel();
    trace.append(records);
    return trace;
  }),
);

/** Texts of tokens; the end of a sequence is the same, however a model writes it. */
function said(
  model: TraceModel,
  outputTokens: readonly number[],
  { first, end }: PlaceRange,
): readonly string[] {
  const { kind, text } = model.tokens;
  return outputTokens
    .slice(first, end)
    .map((index) => (kind[index] === "end" ? "the end" : (text[index] ?? "")));
}

test("whatever the runs: every token of both outputs stands once, in its order, and same is the same", () => {
  fc.assert(
    fc.property(anyRun, anyRun, (one, other) => {
      const comparison = compare(one, other);
      const { segments, columns } = comparison;
      let [left, right, column] = [0, 0, 0];
      const text = (model: TraceModel, outputTokens: readonly number[], { first, end }: PlaceRange) =>
        outputTokens.slice(first, end).map((index) => model.tokens.text[index] ?? "");
      for (const segment of segments) {
        expect([segment.left.first, segment.right.first, segment.column]).toEqual([left, right, column]);
        const mine = text(one, comparison.left, segment.left);
        const yours = text(other, comparison.right, segment.right);
        expect(mine.length + yours.length).toBeGreaterThan(0);
        if (segment.kind === "same" && comparison.byText) {
          expect(said(one, comparison.left, segment.left)).toEqual(
            said(other, comparison.right, segment.right),
          );
        }
        if (segment.kind === "respelled") expect(mine.join("")).toBe(yours.join(""));
        left = segment.left.end;
        right = segment.right.end;
        column += columnCountOf(segment);
      }
      expect([left, right, column]).toEqual([one.outputTokens.length, other.outputTokens.length, columns]);
    }),
  );
});

test("whatever the runs: a token is found in the column that shows it", () => {
  fc.assert(
    fc.property(anyRun, anyRun, (one, other) => {
      const comparison = compare(one, other);
      for (const side of ["left", "right"] as const) {
        comparison[side].forEach((index, place) => {
          const column = columnOf(comparison, side, index) ?? -1;
          const segment = comparison.segments[segmentAt(comparison, column)];
          const { first = -1, end = -1 } = segment ? placesAt(segment, column)[side] : {};
          expect(first <= place && place < end).toBe(true);
        });
      }
    }),
  );
});

test("compared with itself a run is the same, and the other way round the sides change places", () => {
  fc.assert(
    fc.property(anyRun, anyRun, (one, other) => {
      expect(compare(one, one).segments.filter(({ kind }) => kind !== "same")).toEqual([]);
      expect(compare(one, one).isShortest).toBe(true);
      const lengths = (comparison: Comparison, side: "left" | "right") =>
        comparison.segments.reduce(
          (sum, { kind, [side]: { first, end } }) => sum + (kind === "changed" ? end - first : 0),
          0,
        );
      const [forth, back] = [compare(one, other), compare(other, one)];
      expect(firstDivergence(forth) === null).toBe(firstDivergence(back) === null);
      expect(lengths(forth, "left") === 0 && lengths(forth, "right") === 0).toBe(
        lengths(back, "left") === 0 && lengths(back, "right") === 0,
      );
    }),
  );
});
