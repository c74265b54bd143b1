/** Which tokens were chosen while mods steered, and how all descriptions of a run mention it. */
import { expect, test } from "vitest";
import { markdownOf } from "../file/markdown.ts";
import { decodePermalink, encodePermalink } from "../file/permalink.ts";
import { steeredTrace } from "../testing/steered-trace.ts";
import { createTraceBuilder, requestRecord } from "../testing/trace-builder.ts";
import { patchWith, steerBy, steerNoMore, vectorWith } from "../testing/vectors.ts";
import { eventList } from "./event-list.ts";
import { overviewColumns, overviewMark } from "./overview-columns.ts";
import { steeringLabel } from "./steered-labels.ts";
import { describeTokenSteering } from "./steered-layers.ts";
import { createTraceModel, type TraceModel } from "./trace-model.ts";
import { traceSummary } from "./trace-summary.ts";
import { describeToken } from "./trace-text.ts";
import { transcript, transcriptParts } from "./transcript.ts";

function modelOf(records: TraceModel["records"]): TraceModel {
  const model = createTraceModel();
  model.append(records);
  return model;
}

const distribution = { entropy: 1, top: [] };

/** Eight words: steered from the second on, not from the fourth on, one of them forced; the sixth in a patched pass; the last taken back. */
function run(): TraceModel {
  const mods = ["cheerful", "echo"].map((name) => ({ name, source: "" }));
  const builder = createTraceBuilder(requestRecord({ mods }));
  const vector = vectorWith(1, [1, 2]);
  builder.prefill([{ token: 1, text: "Once" }]);
  const word = (text: string) => {
    builder.forward(distribution, builder.unread);
    builder.sample({ token: text.length, text }, {});
    builder.add([{ token: text.length, text }], "sampled");
  };
  word(" one");
  builder.call(0, "added", steerBy(12, vector, 2));
  word(" two");
  builder.add([{ token: 9, text: " (forced)" }], "forced", { mod: 1 });
  word(" three");
  builder.call(0, "sampled", steerNoMore);
  word(" four");
  builder.call(1, "added", patchWith(20, { ...vector, numbers: null }));
  word(" five");
  word(" six");
  builder.call(0, "added", steerBy(12, { ...vector, numbers: null }));
  word(" seven");
  builder.backtrack(1, 1, 0);
  return modelOf(builder.finish("length").records);
}

test("a token is steered where the pass was that gave its odds", () => {
  const { tokens, totals } = run();
  const steered = tokens.text.filter((_, index) => tokens.steered[index] !== null);
  expect(steered).toEqual([" two", " three", " five", " seven"]);
  expect(totals.steered).toBe(4);
  expect(tokens.steered[1]).toBe(tokens.steered[3]);
});

test.each([
  [0, "token 1 of 8, chosen, “ one”, 90%"],
  [1, "token 2 of 8, chosen, steered by cheerful, “ two”, 90%"],
  [5, "token 6 of 8, chosen, patched by echo, “ five”, 90%"],
])("token %i in words", (index, words) => {
  expect(describeToken(run(), index)).toBe(words);
});

test("what steered, by mod and layer", () => {
  const model = modelOf(steeredTrace().records);
  const all = [...new Set(model.tokens.steered.filter((each) => each !== null))];
  expect(all.map((each) => steeringLabel(model, each))).toEqual([
    "steered by cheerful",
    "steered by cheerful and terse",
    "steered by cheerful and terse, patched by echo",
    "steered by cheerful",
    "steered by cheerful and faulty",
    "steered by cheerful",
    "patched by echo",
  ]);
  const [, , third] = all;
  expect(third && describeTokenSteering(model, third)).toBe(
    "While the model chose this token, cheerful steered layer 12 (scale 2) and terse layers 3, 10 (scale -0.5) and 14; echo replaced the state of layer 20.",
  );
  const last = all.at(-1);
  expect(last && describeTokenSteering(model, last)).toBe(
    "While the model chose this token, echo replaced the state of layer 20.",
  );
});

test("events tell it", () => {
  const said = eventList(modelOf(steeredTrace().records)).flatMap(({ calls }) =>
    calls.map(({ modName, summary }) => `${modName} ${summary}`),
  );
  expect(said).toContain("cheerful steered with a vector at layer 12 (scale 2)");
  expect(said).toContain("terse steered with 3 vectors at layers 3, 10 (scale -0.5) and 14");
  expect(said).toContain("cheerful stopped steering");
  expect(said).toContain("echo replaced the state of layer 20 in the next pass");
});

test("so do transcript, Markdown, overview and summary", () => {
  const model = run();
  expect(transcript(model)).toBe(
    " one[steered:  two][forced:  (forced)][steered:  three] four[steered:  five] six[removed:  seven]",
  );
  expect(transcriptParts(model).map(({ steered }) => steered !== null)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
    false,
  ]);
  const text = markdownOf(model, null);
  expect(text).toContain("one <i>two</i> \\(**forced**\\) <i>three</i> four <i>five</i> six");
  expect(text).toContain("| Tokens chosen while steered | 4 |");
  const { marks } = overviewColumns(model, 8);
  expect([...marks].map((mark) => (mark & overviewMark.steered) > 0)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    false,
    true,
  ]);
  expect(traceSummary(model).steered).toBe(4);
  expect(markdownOf(modelOf(createTraceBuilder().finish("stop").records), null)).not.toContain("steered");
});

test("a link keeps it, without the numbers", () => {
  const trace = steeredTrace();
  const opened = modelOf(
    decodePermalink(encodePermalink(trace, { probabilities: false, prompt: false }).fragment).trace.records,
  );
  const isSteered = (model: TraceModel) => model.tokens.steered.map((each) => each !== null);
  expect(isSteered(opened)).toEqual(isSteered(modelOf(trace.records)));
});
