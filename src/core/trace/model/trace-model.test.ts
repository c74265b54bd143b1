import { describe, expect, test } from "vitest";
import type { Trace, TraceToken } from "../format/format.ts";
import { modelWithHealing } from "../testing/healed-trace.ts";
import { randomDistribution, sampleTrace, seededRandom } from "../testing/sample-trace.ts";
import { tokenRows } from "../testing/token-rows.ts";
import { banOfOne, createTraceBuilder, fault, requestRecord } from "../testing/trace-builder.ts";
import { eventList } from "./event-list.ts";
import { outputTextOf } from "./output-text.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";
import { traceSummary } from "./trace-summary.ts";
import { describeToken } from "./trace-text.ts";
import { tokenRow } from "./trace-view.ts";
import { transcript, transcriptParts } from "./transcript.ts";

const word = (text: string, token = text.length): TraceToken => ({ token, text });
const flat = { entropy: 2, top: [{ token: 1, text: " Tom", logprob: -0.5 }] };

function modelOf(trace: Trace): TraceModel {
  const model = createTraceModel();
  model.append(trace.records);
  return model;
}

const mods = [
  { name: "no-dash", source: "" },
  { name: "second", source: "" },
];

test("every column of the tokens has one entry for each token", () => {
  const { tokens } = modelOf(backtrackedTrace());
  const lengths = Object.entries(tokens).map(([name, column]) => [name, column.length]);
  expect(new Set(lengths.map(([, length]) => length))).toEqual(new Set([6]));
});

/** "Once there | was Tom → was Lily", with a mod that first adjusts logits, then replaces two tokens with two others. */
function backtrackedTrace(counterfactual = word(" Max")): Trace {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.call(0, "prefilled", { type: "noop" }, { console: [{ level: "log", text: "hello" }] });
  builder.prefill([word("Once")]);
  builder.forward(flat);
  builder.sample(word(" there"), { logprobBefore: -1 });
  builder.add([word(" there")], "sampled");
  builder.forward(flat);
  builder.call(1, "forwardPass", banOfOne);
  builder.adjust({ entropy: 1, top: [] });
  builder.sample(word(" was"), {
    logprobBefore: -3,
    logprobAfter: -2,
    counterfactual: word(" is"),
    draw: 0.25,
  });
  builder.add([word(" was")], "sampled");
  builder.forward(flat);
  builder.sample(word(" Tom"), { logprobBefore: -0.5 });
  builder.add([word(" Tom")], "sampled");
  builder.call(
    0,
    "added",
    { type: "backtrack", count: 2, tokens: [5, 6], text: " is Lily", cut: 0 },
    { line: 9 },
  );
  builder.backtrack(0, 2, 2);
  builder.call(1, "backtracked");
  builder.add([word(" is"), word(" Lily")], "reinjected", { mod: 0, counterfactual });
  builder.forward(flat, 3);
  builder.score(3, [-4, -0.01], [flat, flat]);
  builder.sample(word("", 2), { logprobBefore: -0.2 });
  builder.add([word("", 2)], "sampled", { isEos: true });
  builder.call(0, "finished", { type: "noop" }, { fault: fault("threw", "boom", 3) });
  return builder.finish("stop", { text: " there is Lily" });
}

describe("a request with an adjusted step and a backtrack", () => {
  const model = modelOf(backtrackedTrace());

  test.each([
    [0, { kind: "sampled", step: 0, isInOutput: true, mods: [], event: "forwardPass", logprobBefore: -1 }],
    [
      1,
      {
        kind: "adjusted",
        isInOutput: false,
        removedBy: 0,
        mods: ["second"],
        counterfactual: word(" is"),
        draw: 0.25,
      },
    ],
    [1, { logprobBefore: -3, logprobAfter: -2, entropyBefore: 2, entropyAfter: 1, before: flat }],
    [2, { kind: "sampled", isInOutput: false, removedBy: 0, replaces: null }],
    [3, { kind: "reinjected", step: 1, replaces: 0, mods: ["no-dash"], event: "added", line: 9 }],
    [
      3,
      { logprobBefore: -4, probability: null, before: flat, entropyBefore: 2, counterfactual: word(" Max") },
    ],
    [4, { kind: "reinjected", step: 2, replaces: 0, counterfactual: null, logprobBefore: -0.01 }],
    [5, { kind: "end", source: "sampled", replaces: null, isInOutput: true }],
  ])("token %i has %o", (index, expected) => {
    expect(tokenRow(model, index)).toMatchObject(expected);
  });

  test("the removed span is tied to what replaced it", () => {
    expect(model.spans).toMatchObject([{ removed: [1, 2], replacedBy: [3, 4], mod: 0, replacementCount: 2 }]);
    expect(model.outputTokens).toEqual([0, 3, 4, 5]);
    expect(outputTextOf(model)).toBe(" there is Lily");
  });

  test("mod calls hang on their events, also where the event is recorded after them", () => {
    const list = eventList(model).map(({ event, calls }) => `${event.type} ${calls.length}`);
    expect(list).toEqual([
      "prefilled 1",
      "forwardPass 0",
      "sampled 0",
      "added 0",
      "forwardPass 1",
      "sampled 0",
      "added 0",
      "forwardPass 0",
      "sampled 0",
      "added 1",
      "backtracked 1",
      "added 0",
      "forwardPass 0",
      "sampled 0",
      "added 0",
      "finished 1",
    ]);
    expect(eventList(model).every(({ event }) => event.record !== null)).toBe(true);
    expect(eventList(model).at(-1)?.calls[0]?.summary).toBe("threw: boom");
    expect(eventList(model)[9]?.calls[0]?.summary).toBe("removed 2 tokens, put “ is Lily” in their place");
  });

  test("interventions lead to the tokens they are about", () => {
    expect(model.interventions.map(({ kind, tokenIndex }) => [kind, tokenIndex])).toEqual([
      ["adjustLogits", 1],
      ["backtrack", 1],
      ["fault", 6],
    ]);
  });

  test.each([
    [0, "token 1 of 6, chosen, “ there”, 37%"],
    [
      1,
      "token 2 of 6, adjusted by second, “ was”, 5.0%, 14% after the mods, would have been “ is”, removed and replaced with “ is Lily”",
    ],
    [
      3,
      "token 4 of 6, replacement by no-dash in added(), “ is”, 1.8%, would have been “ Max”, instead of “ was Tom”",
    ],
    [5, "token 6 of 6, chosen, end of sequence, 82%"],
  ])("token %i reads: %s", (index, sentence) => {
    expect(describeToken(model, index)).toBe(sentence);
  });

  test("a token that would have been the removed text names this text once", () => {
    const same = modelOf(backtrackedTrace(word(" was Tom")));
    expect(describeToken(same, 3)).toBe(
      "token 4 of 6, replacement by no-dash in added(), “ is”, 1.8%, instead of “ was Tom”",
    );
  });

  test.each([
    [[], word("<s>", 2), "instead of the end of the text"],
    [["tokenIds"], word("<s>", 2), "instead of the end of the text"],
    [[], word(" Max"), "would have been “ Max”, instead of the end of the text"],
    [[], word(""), "instead of the end of the text"],
  ] as const)(
    "a token in the place of the end names the end in words (left out: %s, %o)",
    (leftOut, counterfactual, words) => {
      const builder = createTraceBuilder(requestRecord({ mods }));
      builder.prefill([word("Once")]);
      builder.forward(flat);
      builder.sample({ token: 2, text: "" }, {});
      builder.add([{ token: 2, text: "" }], "sampled", { isEos: true });
      builder.backtrack(0, 1, 1);
      builder.add([word(" Then")], "reinjected", { mod: 0, counterfactual });
      const ended = createTraceModel(leftOut);
      ended.append(builder.finish("length").records);
      expect(describeToken(ended, 1)).toBe(`token 2 of 2, replacement by no-dash, “ Then”, ${words}`);
    },
  );

  test("the transcript marks what was removed and put", () => {
    expect(transcript(model)).toBe(" there[removed:  was Tom][replacement:  is Lily][end]");
    expect(transcriptParts(model)[1]).toMatchObject({ span: 0, firstToken: 1, tokenCount: 2 });
  });

  test("the summary counts", () => {
    expect(traceSummary(model)).toMatchObject({
      emitted: 6,
      outputTokens: 4,
      adjusted: 1,
      reinjected: 2,
      removed: 2,
      forwardPasses: 4,
      modCalls: 5,
      faults: 1,
      interventions: 3,
      reason: "stop",
    });
    expect(traceSummary(model).forcedShare).toBeCloseTo(1 / 3);
  });

  test("a second backtrack may reach over a gap", () => {
    const builder = createTraceBuilder(requestRecord({ mods }));
    for (const text of ["a", "b", "c"]) builder.add([word(text)], "sampled");
    builder.backtrack(0, 1, 1);
    builder.add([word("d")], "reinjected");
    builder.backtrack(1, 2, 0);
    const gapped = modelOf(builder.finish("stop"));
    expect(gapped.spans.map(({ removed }) => removed)).toEqual([[2], [1, 3]]);
    expect(outputTextOf(gapped)).toBe("a");
    expect(transcript(gapped)).toBe("a[removed: b][removed: c][removed: d]");
  });

  test("what a link left out is null, not zero", () => {
    const bare = createTraceModel(["probabilities", "timings", "draws", "tokenIds"]);
    bare.append(backtrackedTrace().records);
    expect(tokenRow(bare, 1)).toMatchObject({
      logprobBefore: null,
      entropyBefore: null,
      before: null,
      draw: null,
      token: null,
      timeUs: null,
    });
    expect(traceSummary(bare).tokensPerSecond).toBeNull();
  });

  test("there is no token beyond the last", () => {
    expect(() => tokenRow(model, 6)).toThrow("No token 6: the trace has 6.");
  });
});

test("a token that only completes a later character says so", () => {
  const builder = createTraceBuilder(requestRecord({ mods }));
  builder.add([word("", 240), word("🙂", 130)], "forced", { mod: 1 });
  const model = modelOf(builder.finish("forced"));
  expect(describeToken(model, 0)).toBe("token 1 of 2, forced by second, part of a character");
  expect(describeToken(model, 1)).toBe("token 2 of 2, forced by second, “🙂”");
});

describe("the sample trace", () => {
  const trace = sampleTrace();

  test("has everything that is to be drawn", () => {
    const model = modelOf(trace);
    const counts = traceSummary(model);
    expect(counts.emitted).toBeGreaterThan(300);
    for (const key of ["adjusted", "forced", "reinjected", "removed", "faults"] as const) {
      expect(counts[key], key).toBeGreaterThan(0);
    }
    expect(new Set(tokenRows(model).map(({ kind }) => kind)).size).toBe(4);
    expect(tokenRows(model).every(({ logprobBefore }) => logprobBefore !== null)).toBe(true);
    expect(outputTextOf(model)).toBe(model.finished?.text);
  });

  test("is the same whether its records come one by one or together", () => {
    const piecewise = createTraceModel();
    for (const record of trace.records) piecewise.append([record]);
    const { version: _, append: _append, ...whole } = modelOf(trace);
    expect(piecewise).toMatchObject(whole);
  });

  test("repeats for a seed", () => {
    expect(sampleTrace({ seed: 7 })).toEqual(sampleTrace({ seed: 7 }));
    expect(randomDistribution(seededRandom(1), word("a"))).not.toEqual(
      randomDistribution(seededRandom(2), word("a")),
    );
  });
});

test("a text that token healing completed was removed by token healing, and no mod changed the word's probability", () => {
  const model = modelWithHealing();
  expect([1, 2].map((index) => describeToken(model, index))).toEqual([
    "token 2 of 4, forced by teacher in forwardPass(), “ Fran”, removed by token healing",
    "token 3 of 4, chosen, “ France”, 90%, 95% after token healing, would have been “konia”",
  ]);
});
