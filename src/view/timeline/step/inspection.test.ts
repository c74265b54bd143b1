import { describe, expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { modelWithHealing } from "../../../core/trace/testing/healed-trace.ts";
import { modelWithQuestions } from "../../../core/trace/testing/question-trace.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createTraceBuilder, noCatchUp, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { modCallEntry } from "./call-entry.ts";
import { inspectStep } from "./inspection.ts";

const trace = createTraceModel();
trace.append(sampleTrace().records);
const first = (kind: string) => trace.tokens.kind.indexOf(kind as never);
const callsOf = (calls: readonly number[]) => calls.map((record) => modCallEntry(trace, record));

test("a forced token says who forced it, where, and what would have been", () => {
  const { sentences, calls } = inspectStep(trace, first("forced"));
  expect(sentences.join(" ")).toMatch(
    /^Forced by call-her-lily in added\(\): the model did not choose it\. The model would have written “.+?”/,
  );
  expect(
    callsOf(calls).some((call) => call?.modName === "call-her-lily" && call.summary.startsWith("force")),
  ).toBe(true);
});

test("an adjusted token shows its alternatives before and after, itself among them", () => {
  const { topKTokens, hasAfter, calls } = inspectStep(trace, first("adjusted"));
  expect(hasAfter).toBe(true);
  expect(topKTokens.filter(({ chosen }) => chosen)).toHaveLength(1);
  expect(topKTokens.some(({ before }) => before !== null)).toBe(true);
  expect(topKTokens.some(({ after }) => after !== null)).toBe(true);
  expect(callsOf(calls).map((call) => call?.summary)).toContain("banned 1 token");
});

test("a removed token says what stands in its place, and the other way round", () => {
  const [span] = trace.spans;
  expect(inspectStep(trace, span?.removed[0] ?? -1).sentences.at(-1)).toMatch(
    /^Removed by call-her-lily, which put “/,
  );
  expect(inspectStep(trace, span?.replacedBy[0] ?? -1).sentences[1]).toMatch(/^This token replaces “/);
});

test("a replacement of text that the model wrote does not say that the model would have written it", () => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "swap", source: "" }] }));
  const lily = { token: 2, text: " Lily" };
  builder.prefill([{ token: 1, text: "One" }]);
  builder.forward({ entropy: 1, top: [] });
  builder.sample(lily, {});
  builder.add([lily], "sampled");
  builder.backtrack(0, 1, 2);
  builder.add(
    [
      { token: 3, text: " M" },
      { token: 4, text: "ax" },
    ],
    "reinjected",
    { mod: 0, counterfactual: lily },
  );
  const swapped = createTraceModel();
  swapped.append(builder.finish("length").records);
  const { sentences, chosenTag, counterfactualTag, word } = inspectStep(swapped, 1);
  expect(sentences.slice(1)).toEqual(["This token replaces “ Lily”, which the model wrote."]);
  expect([chosenTag, counterfactualTag]).toEqual(["replacement", "removed"]);
  expect(word).toEqual({ text: "Max", place: 1, count: 2 });
});

test("a replacement of the end token that the model wrote names the end in words", () => {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "happy-ending", source: "" }] }));
  builder.prefill([{ token: 1, text: "One" }]);
  builder.forward({ entropy: 1, top: [] });
  builder.sample({ token: 2, text: "" }, {});
  builder.add([{ token: 2, text: "" }], "sampled", { isEos: true });
  builder.backtrack(0, 1, 1);
  const counterfactual = { token: 2, text: "<s>" };
  builder.add([{ token: 3, text: " Then" }], "reinjected", { mod: 0, counterfactual });
  const ended = createTraceModel();
  ended.append(builder.finish("length").records);
  expect(inspectStep(ended, 1).sentences.slice(1)).toEqual([
    "This token replaces the end of the text, which the model wrote.",
  ]);
});

test("a token of a question says what was asked and answered, and the answer in the output where it came from", () => {
  const asked = modelWithQuestions();
  expect(inspectStep(asked, 3).sentences.at(-1)).toBe(
    "Part of a question from asker; the question is not in the output.",
  );
  expect(inspectStep(asked, 4).sentences).toEqual([
    "The model’s answer to a question, inserted by asker in added().",
  ]);
});

test("a text that token healing completed says so, and is not called removed or adjusted by the mod", () => {
  const healed = modelWithHealing();
  expect(inspectStep(healed, 1).sentences).toEqual([
    "Forced by teacher in forwardPass(): the model did not choose it.",
    "Removed by token healing: the model chose “ France”.",
  ]);
  expect(inspectStep(healed, 2).sentences).toEqual([
    "Chosen by the model to complete “ Fran” (token healing).",
    "Without token healing the model would have written “konia”.",
  ]);
  expect(healed.tokens.kind).toEqual(["forced", "forced", "sampled", "sampled"]);
});

test.each([
  [true, 0, "Copied from the run that this run branched from."],
  [true, 1, "Chosen by you: this run branches off here."],
  [false, 1, "Chosen by the model."],
  [true, 2, "Chosen by the model."],
])("in a branch, chosen by hand: %s, token %i", (isChosen, index, expected) => {
  const builder = createTraceBuilder(
    requestRecord({ branch: { requestId: "r", index: 1, isChosen, ...noCatchUp } }),
  );
  builder.prefill([{ token: 1, text: "One" }]);
  for (const text of [" a", " b", " c"]) {
    builder.forward({ entropy: 1, top: [] });
    builder.sample({ token: 2, text }, {});
    builder.add([{ token: 2, text }], "sampled");
  }
  const branched = createTraceModel();
  branched.append(builder.finish("length").records);
  expect(inspectStep(branched, index).sentences.at(-1)).toBe(expected);
});

test("a token at which changed mods would have acted differently says so", () => {
  const difference = { record: 2, mod: 0, now: "did nothing", recorded: "failed (threw)" };
  const branch = { requestId: "r", index: 2, isChosen: false, ...noCatchUp, caughtUp: 5, difference };
  const builder = createTraceBuilder(requestRecord({ branch, mods: [{ name: "shout", source: "" }] }));
  builder.prefill([{ token: 1, text: "One" }]);
  for (const text of [" a", " b"]) {
    builder.forward({ entropy: 1, top: [] });
    builder.add([{ token: 2, text }], "sampled");
  }
  const branched = createTraceModel();
  branched.append(builder.finish("length").records);
  expect(inspectStep(branched, 0).sentences).toEqual([
    "Chosen by the model.",
    "Copied from the run that this run branched from.",
    "The mod “shout” would have acted differently at token 1.",
    "At “forwardPass”, the mod did nothing; in the recorded run, it failed (threw).",
  ]);
  expect(inspectStep(branched, 1).sentences).toHaveLength(2);
});

test("every token of a run can be inspected", () => {
  trace.tokens.text.forEach((_text, index) => {
    const { sentences, row } = inspectStep(trace, index);
    expect(sentences[0]).not.toBe("");
    expect(row.index).toBe(index);
  });
});

describe("a temperature that a mod set for one step", () => {
  const word = (text: string, token: number) => ({ token, text });
  /** One step with two tokens at 80 and 20%, drawn at temperature 0.5 (94 and 6%), or also with a token banned. */
  const stepOf = (
    edit: { ban: number; temperature: number | null },
    counterfactual: string | null,
    candidates = 2,
  ) => {
    const builder = createTraceBuilder(requestRecord({ mods: [{ name: "moods", source: "" }] }));
    const probabilities = (first: number) => ({
      entropy: 1,
      top: [
        { ...word(" a", 1), logprob: Math.log(first) },
        { ...word(" b", 2), logprob: Math.log(1 - first) },
      ],
    });
    builder.prefill([word("x", 9)]);
    builder.forward(probabilities(0.8));
    builder.call(0, "forwardPass", {
      type: "adjustLogits",
      only: 0,
      add: 0,
      dense: false,
      digest: null,
      ...edit,
    });
    builder.adjust(probabilities(0.8), edit.temperature);
    builder.sample(word(" a", 1), {
      logprobBefore: Math.log(0.8),
      probability: 16 / 17,
      candidates,
      counterfactual: counterfactual === null ? null : word(counterfactual, 2),
    });
    builder.add([word(" a", 1)], "sampled");
    const model = createTraceModel();
    model.append(builder.finish("length").records);
    return inspectStep(model, 0);
  };

  test("its odds are those that were drawn from", () => {
    const { topKTokens, temperature } = stepOf({ ban: 0, temperature: 0.5 }, null);
    expect(temperature).toBe(0.5);
    expect(topKTokens.map(({ before }) => before)).toEqual([expect.closeTo(0.8), expect.closeTo(0.2)]);
    expect(topKTokens.map(({ after }) => after)).toEqual([expect.closeTo(16 / 17), expect.closeTo(1 / 17)]);
  });

  test.each([
    [
      { ban: 0, temperature: 0.5 },
      null,
      "Chosen by the model; moods set the temperature to 0.5 in forwardPass(), which did not change the choice.",
    ],
    [
      { ban: 0, temperature: 0.30000000000000004 },
      " b",
      "Chosen by the model after moods set the temperature to 0.3 in forwardPass(). The model would have written “ b” (20%).",
    ],
    [
      { ban: 3, temperature: 0.5 },
      null,
      "Chosen by the model; moods adjusted the probabilities and set the temperature to 0.5 in forwardPass(), which did not change the choice.",
    ],
    [
      { ban: 3, temperature: null },
      null,
      "Chosen by the model; moods adjusted the probabilities in forwardPass(), which did not change the choice.",
    ],
  ] as const)("%o, counterfactual %s: %s", (edit, counterfactual, sentence) => {
    expect(stepOf(edit, counterfactual).sentences.join(" ")).toBe(sentence);
  });

  test.each([
    [1, 0],
    [2, 0],
    [12, 10],
  ])("of %i candidates %i are not listed", (candidates, unlisted) => {
    expect(stepOf({ ban: 0, temperature: 0.5 }, null, candidates).unlisted).toBe(unlisted);
  });
});
