import { expect, test } from "vitest";
import { createTraceModel, type TraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithHealing } from "../../../core/trace/testing/healed-trace.ts";
import { modelWithQuestions, modelWithRepeatedAnswer } from "../../../core/trace/testing/question-trace.ts";
import { steeredTrace } from "../../../core/trace/testing/steered-trace.ts";
import { banOfOne, createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import {
  authorshipOf,
  cellsOf,
  changedTokenMarks,
  chunkRevision,
  nextMarkedToken,
  nextSteeredToken,
  openingSelection,
  shouldHideSameMarks,
} from "./ribbon-cells.ts";

const token = (text: string, id = text.length) => ({ token: id, text });
const even = { entropy: 1, top: [] };

/** "Once there": sampled; " a": adjusted from " the"; " cat": removed, " dog": put in its place; " ran": forced. */
function story() {
  const mods = ["first", "second"].map((name) => ({ name, source: "" }));
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.prefill([token("x")]);
  for (const text of ["Once", " there"]) {
    builder.forward(even);
    builder.sample(token(text), { logprobBefore: -0.1 });
    builder.add([token(text)], "sampled");
  }
  builder.forward(even);
  builder.call(1, "forwardPass", banOfOne);
  builder.adjust(even);
  builder.sample(token(" a"), { logprobBefore: -6, counterfactual: token(" the") });
  builder.add([token(" a")], "sampled");
  builder.forward(even);
  builder.sample(token(" cat"), {});
  builder.add([token(" cat")], "sampled");
  const put = { tokens: [1], text: " dog", cut: 0 };
  builder.call(0, "added", { type: "backtrack", count: 1, ...put });
  builder.backtrack(0, 1, 1);
  builder.add([token(" dog")], "reinjected", { mod: 0 });
  builder.call(1, "added", { type: "forceTokens", tokens: [1, 2], text: " ran.", cut: 0 });
  builder.add([token(" ran"), token(".")], "forced", { mod: 1, counterfactual: token(" sat") });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test("each token is one cell, in the order of emission, with its mark", () => {
  const cells = cellsOf(story(), 0, 8);
  expect(cells.map(({ lead, word, mark }) => `${lead}${word}:${mark}`)).toEqual([
    "Once:plain",
    " there:plain",
    " a:adjusted",
    " cat:removed",
    " dog:reinjected",
    " ran:forced",
    ".:forced",
    ":plain",
  ]);
});

test("a forced span is one group; the arrow stands before what replaces", () => {
  const cells = cellsOf(story(), 0, 7);
  expect(cells.map(({ first, last }) => [first, last]).slice(4)).toEqual([
    [true, true],
    [true, false],
    [false, true],
  ]);
  expect(cells.map(({ arrives }) => arrives).indexOf(true)).toBe(4);
  expect(cells.filter(({ arrives }) => arrives)).toHaveLength(1);
});

test("counterfactuals, and how far they may reach", () => {
  const cells = cellsOf(story(), 0, 7);
  expect(cells.map(({ counterfactual }) => counterfactual)).toEqual([
    null,
    null,
    "the",
    null,
    null,
    "sat",
    null,
  ]);
  expect(cells.map(({ counterfactualWidth }) => counterfactualWidth)).toEqual([
    "none",
    "none",
    "all",
    "none",
    "none",
    "all",
    "none",
  ]);
});

test("surprise is told in steps of bits", () => {
  const cells = cellsOf(story(), 0, 3);
  expect(cells.map(({ surprise }) => surprise)).toEqual([0, 0, 4]);
});

const noQuestions = { asked: 0, moved: 0 };

test("whose words they are", () => {
  expect(authorshipOf(story())).toEqual({
    output: 6,
    own: 2,
    answered: 0,
    shares: [
      { ...noQuestions, mod: 0, forced: 0, reinjected: 1, adjusted: 0, same: 0, removed: 1, steered: 0 },
      { ...noQuestions, mod: 1, forced: 2, reinjected: 0, adjusted: 1, same: 0, removed: 0, steered: 0 },
    ],
  });
});

test("whose words they are, of each part of the text: together those of the whole", () => {
  const trace = story();
  const count = trace.tokens.text.length;
  for (let cut = 0; cut <= count; cut += 1) {
    const parts = [
      authorshipOf(trace, { first: 0, end: cut }),
      authorshipOf(trace, { first: cut, end: count }),
    ];
    const whole = authorshipOf(trace);
    expect(parts.reduce((sum, { output }) => sum + output, 0)).toBe(whole.output);
    expect(parts.reduce((sum, { own }) => sum + own, 0)).toBe(whole.own);
    for (const { mod, ...share } of whole.shares) {
      for (const [kind, tokens] of Object.entries(share)) {
        const ofKind = parts.flatMap(({ shares }) => shares.filter((each) => each.mod === mod));
        expect(ofKind.reduce((sum, each) => sum + each[kind as keyof typeof share], 0)).toBe(tokens);
      }
    }
  }
});

test.each([
  [-1, 1, 2],
  [2, 1, 3],
  [5, 1, 2],
  [2, -1, 5],
] as const)("from %i in direction %i the next change is at %i", (from, direction, expected) => {
  expect(nextMarkedToken(story(), from, direction, (mark) => changedTokenMarks.has(mark))).toBe(expected);
});

test("a chunk is drawn again when it grows, loses or scores tokens, and only then", () => {
  const trace = story();
  const { records } = trace;
  const grown = createTraceModel();
  const seen = new Set<number>();
  const changes = records.filter((record) => {
    grown.append([record]);
    const revision = chunkRevision(grown, 0);
    const fresh = !seen.has(revision);
    seen.add(revision);
    return fresh;
  });
  expect(changes.map(({ type }) => type)).toEqual([
    "request",
    "added",
    "added",
    "added",
    "added",
    "backtracked",
    "added",
    "added",
    "finished",
  ]);
});

/** Ten tokens: a mod changed `changes` of them, and only adjusted the probabilities of `same` others. */
function adjustedStory(changes: number, same: number) {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "tilt", source: "" }] }));
  builder.prefill([token("x")]);
  for (let place = 0; place < 10; place += 1) {
    builder.forward(even);
    if (place < changes + same) {
      builder.call(0, "forwardPass", {
        ...banOfOne,
      });
      builder.adjust(even);
    }
    builder.sample(token(" a"), { counterfactual: place < changes ? token(" the") : null });
    builder.add([token(" a")], "sampled");
  }
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test.each([
  [1, 0, false],
  [0, 2, false],
  [0, 3, true],
  [2, 8, true],
  [10, 0, false],
])(
  "%i adjusted words and %i that an adjustment left the same: so often that these are not marked: %s",
  (changes, same, often) => {
    const authorship = authorshipOf(adjustedStory(changes, same));
    const shares = changes + same === 0 ? [] : [expect.objectContaining({ mod: 0, adjusted: changes, same })];
    expect(authorship).toEqual({ output: 10, own: 10 - changes, answered: 0, shares });
    expect(shouldHideSameMarks(authorship)).toBe(often);
  },
);

test.each([
  [" cat", null],
  [" fox", "fox"],
])("what stands in place of a removed ' cat' has a counterfactual of%s: %s", (text, counterfactual) => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "swap", source: "" }] }));
  builder.forward(even);
  builder.sample(token(" cat"), {});
  builder.add([token(" cat")], "sampled");
  builder.backtrack(0, 1, 1);
  builder.add([token(" dog")], "reinjected", { mod: 0, counterfactual: token(text) });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  expect(cellsOf(trace, 1, 2)).toMatchObject([{ mark: "reinjected", counterfactual }]);
});

test("the text pane folds a question whose whole text stands again in the output", () => {
  const trace = modelWithRepeatedAnswer();
  const cells = cellsOf(trace, 0, trace.tokens.text.length);
  expect(cells.map(({ word, isRepeated }) => `${word}${isRepeated ? " folded" : ""}`)).toEqual([
    '{"age": folded',
    "7 folded",
    "} folded",
    '{"',
    'age":',
    "7",
    "}",
  ]);
  // Otherwise the folded question would be unfolded, and its text would be visible twice.
  expect(openingSelection(trace)?.cursor).toBe(3);
});

test("questions and the answers that a mod inserts have marks of their own, and what the model chose in them is its own", () => {
  const trace = modelWithQuestions();
  expect(cellsOf(trace, 0, 10).map(({ word, mark }) => `${word}:${mark}`)).toEqual([
    "Once:plain",
    "Mood:asked",
    "::asked",
    "happy:asked",
    "happy:moved",
    "Who::asked",
    "a:asked",
    "cat:asked",
    "Good.:forced",
    "Tom:removed",
  ]);
  const { output, own, answered, shares } = authorshipOf(trace);
  expect({ output, own, answered }).toEqual({ output: 4, own: 2, answered: 2 });
  expect(shares).toMatchObject([
    { mod: 0, asked: 6, moved: 1, forced: 1, removed: 0, reinjected: 0 },
    { mod: 1, asked: 0, removed: 1, reinjected: 1 },
  ]);
});

test("an answer that comes again as the output counts the values that the model chose", () => {
  const { output, own, answered } = authorshipOf(modelWithRepeatedAnswer());
  expect({ output, own, answered }).toEqual({ output: 4, own: 1, answered: 0 });
});

test("what the model chose while mods steered it is marked beside how it came, and counted for each of them", () => {
  const trace = createTraceModel();
  trace.append(steeredTrace().records);
  const count = trace.tokens.text.length;
  const cells = cellsOf(trace, 0, count);
  expect(cells.filter(({ isSteered }) => isSteered).map(({ index }) => index)).toEqual(
    trace.tokens.steered.flatMap((by, index) => (by ? [index] : [])),
  );
  const { shares, output, own } = authorshipOf(trace);
  const steered = shares.map(({ mod, steered }) => [mod, steered]);
  expect(steered).toEqual([
    [0, 30],
    [1, 10],
    [2, 2],
    [3, 4],
  ]);
  expect(own).toBe(output - 2);
});

test("from one stretch that a mod steered to the next", () => {
  const trace = createTraceModel();
  trace.append(steeredTrace().records);
  const terse = trace.tokens.steered.flatMap((by, index) =>
    by?.mods.some(({ mod }) => mod === 1) ? [index] : [],
  );
  expect(nextSteeredToken(trace, -1, 1)).toBe(terse[0]);
  expect(nextSteeredToken(trace, count(trace), 1)).toBe(terse[0]);
  const echo = trace.tokens.steered.flatMap((by, index) => (by?.patches.length ? [index] : []));
  expect(echo).toHaveLength(2);
  expect(nextSteeredToken(trace, echo[0] ?? 0, 2)).toBe(echo[1]);
  expect(nextSteeredToken(trace, 0, 5)).toBeNull();
});

const count = (trace: TraceModel) => trace.tokens.text.length - 1;

test("the authorship of a whole trace is counted once, until the trace grows", () => {
  const all = story().records;
  const trace = createTraceModel();
  trace.append(all.slice(0, -3));
  const before = authorshipOf(trace);
  expect(authorshipOf(trace)).toBe(before);
  trace.append(all.slice(-3));
  expect(authorshipOf(trace)).toEqual(authorshipOf(story()));
});

test("a token that token healing took back is not counted as removed by the mod", () => {
  const { output, own, shares } = authorshipOf(modelWithHealing());
  expect([output, own]).toEqual([3, 2]);
  expect(shares).toMatchObject([{ mod: 0, forced: 1, removed: 0 }]);
});
