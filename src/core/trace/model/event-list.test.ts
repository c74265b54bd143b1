import { describe, expect, test } from "vitest";
import type { ModCallRecord, TraceAction, TraceToken } from "../format/format.ts";
import { createTraceBuilder, fault, requestRecord } from "../testing/trace-builder.ts";
import { modCallSummary } from "./call-summary.ts";
import { eventList } from "./event-list.ts";
import { createTraceModel } from "./trace-model.ts";
import { describeToken } from "./trace-text.ts";
import { tokenRow } from "./trace-view.ts";
import { transcript } from "./transcript.ts";

const word = (text: string, token = text.length): TraceToken => ({ token, text });
const call: ModCallRecord = {
  type: "modCall",
  timeUs: 0,
  step: 0,
  durationUs: 0,
  mod: 0,
  event: "forwardPass",
  action: { type: "noop" },
  given: null,
  superseded: false,
  console: [],
  fault: null,
  line: null,
};
const logits = (edit: Partial<Extract<TraceAction, { type: "adjustLogits" }>>): TraceAction => ({
  type: "adjustLogits",
  ban: 0,
  only: 0,
  add: 0,
  dense: false,
  digest: null,
  temperature: null,
  ...edit,
});

describe("what a mod did, in a few words", () => {
  test.each<[TraceAction, string]>([
    [{ type: "noop" }, "nothing"],
    [logits({ ban: 1 }), "banned 1 token"],
    [logits({ ban: 12, add: 3 }), "banned 12 tokens, shifted 3 logits"],
    [logits({ only: 1200 }), "allowed only 1,200 tokens"],
    [logits({ dense: true }), "replaced all probabilities"],
    [logits({ dense: true, temperature: 0 }), "replaced all probabilities, set the temperature to 0"],
    [logits({ temperature: 0.30000000000000004 }), "set the temperature to 0.3"],
    [logits({ temperature: 0.123456789012345 }), "set the temperature to 0.123"],
    [logits({ temperature: 1.5, ban: 2 }), "banned 2 tokens, set the temperature to 1.5"],
    [logits({}), "changed no probabilities"],
    [{ type: "adjustPrefill", tokenCount: 9, maxSteps: null }, "replaced the prompt with 9 tokens"],
    [{ type: "forceTokens", tokens: [1], text: " a\n", cut: 0 }, "forced “ a↵”"],
    [{ type: "backtrack", count: 1, tokens: [], text: "", cut: 0 }, "removed 1 token"],
    [
      { type: "backtrack", count: 2, tokens: [1], text: " a", cut: 0 },
      "removed 2 tokens, put “ a” in their place",
    ],
    [
      { type: "backtrack", count: 1, tokens: [1], text: " a", cut: 0 },
      "removed 1 token, put “ a” in its place",
    ],
    [{ type: "backtrack", count: 0, tokens: [1], text: " a", cut: 0 }, "forced “ a”"],
    [{ type: "forceOutput", tokens: [1], text: "a", cut: 0 }, "set the output to “a”"],
    [{ type: "error", message: "no" }, "ended the run with an error: no"],
  ])("%o: %s", (action, said) => {
    expect(modCallSummary({ ...call, action })).toBe(said);
  });

  test("an answer that came second says that it did not count", () => {
    const action: TraceAction = { type: "forceTokens", tokens: [1], text: "a", cut: 0 };
    expect(modCallSummary({ ...call, action, superseded: true })).toBe(
      "forced “a” (superseded: an earlier mod acted first)",
    );
  });

  test.each<[Parameters<typeof fault>, string]>([
    [["threw", "boom"], "threw: boom"],
    [["timeout", "The mod did not answer within 250 ms."], "The mod did not answer within 250 ms."],
    [["invalid-action", "forceTokens got 5."], "invalid action: forceTokens got 5."],
  ])("%o: %s", (given, said) => {
    expect(modCallSummary({ ...call, fault: fault(...given) })).toBe(said);
  });
});

/** One token sampled at a temperature that the mod set, then a text that a backtrack of 0 tokens added. */
function temperedTrace() {
  const builder = createTraceBuilder(requestRecord({ mods: [{ name: "moods", source: "" }] }));
  const distribution = { entropy: 1, top: [{ ...word(" a"), logprob: -0.5 }] };
  builder.prefill([word("x")]);
  builder.forward(distribution);
  builder.call(0, "forwardPass", logits({ temperature: 0.30000000000000004 }));
  builder.adjust(distribution, 0.30000000000000004);
  builder.sample(word(" a"), { logprobBefore: -0.5, probability: 0.9 });
  builder.add([word(" a")], "sampled");
  builder.call(0, "added", { type: "backtrack", count: 0, tokens: [1], text: " b", cut: 0 });
  builder.add([word(" b")], "reinjected", { mod: 0 });
  const trace = createTraceModel();
  trace.append(builder.finish("length").records);
  return trace;
}

test("a step knows the temperature that a mod set for it, and a token that sentence", () => {
  const trace = temperedTrace();
  expect(tokenRow(trace, 0)).toMatchObject({ temperature: 0.30000000000000004, kind: "adjusted" });
  expect(tokenRow(trace, 1)).toMatchObject({ temperature: null });
  expect(describeToken(trace, 0)).toBe("token 1 of 2, adjusted by moods, “ a”, 61%, 90% at temperature 0.3");
});

test("what is put where nothing was removed is forced, not put in place of anything", () => {
  const trace = temperedTrace();
  expect(tokenRow(trace, 1)).toMatchObject({ kind: "forced", replaces: null });
  expect(trace.totals).toMatchObject({ forced: 1, reinjected: 0 });
  expect(transcript(trace)).toBe(" a[forced:  b]");
});

test("a step whose odds came with an earlier pass says so", () => {
  const trace = temperedTrace();
  const records = trace.records.map((record) =>
    record.type === "forwardPass" ? { ...record, tokenCount: 0 } : record,
  );
  expect(eventList({ ...trace, records })[1]?.summary).toBe(
    "computed in an earlier pass, probabilities adjusted",
  );
});

test("an event says that its odds were adjusted", () => {
  expect(eventList(temperedTrace())[1]?.summary).toBe("1 token computed, probabilities adjusted");
});
