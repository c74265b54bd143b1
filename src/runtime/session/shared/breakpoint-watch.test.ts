import { describe, expect, test } from "vitest";
import type { TraceAction } from "../../../core/trace/format/format.ts";
import { createTraceBuilder, fault, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { type BreakpointRule, breakpointProblem } from "./breakpoint.ts";
import { createBreakpointWatch } from "./breakpoint-watch.ts";

const word = (text: string) => ({ token: 5, text });
const distribution = { entropy: 1, top: [] };
const mods = ["first", "second"].map((name) => ({ name, source: "" }));
const forced: TraceAction = { type: "forceTokens", tokens: [5], text: " Max", cut: 0 };
const back: TraceAction = { type: "backtrack", count: 2, tokens: [], text: "", cut: 0 };

/** A run in which " Max" is forced, "ab" is sampled and removed, "abc" is sampled, and two tokens are hidden for a while. */
function records() {
  const run = createTraceBuilder(requestRecord({ mods }));
  run.prefill([word("Once")]);
  run.forward(null);
  run.forward(distribution);
  run.call(0, "forwardPass");
  run.call(1, "forwardPass", forced);
  run.add([word(" Max")], "forced", { mod: 1 });
  for (const [text, probability] of [
    [" a", 0.9],
    ["b", 0.04],
  ] as const) {
    run.forward(distribution);
    run.sample(word(text), { probability });
    run.add([word(text)], "sampled");
  }
  run.call(0, "added", back);
  run.backtrack(0, 2, 0);
  run.add([word("secret")], "forced", { mod: 0, hidden: true });
  run.backtrack(0, 1, 0);
  run.forward(distribution);
  run.sample(word(" ab"), { probability: 0.05 });
  run.call(1, "sampled", { type: "noop" }, { fault: fault("threw", "no") });
  run.add([word(" ab"), word("c. a")], "sampled");
  run.finish("stop");
  return run.records;
}

/** The records that met the rule, by type and by their number among the records of this type. */
function met(rule: BreakpointRule): string[] {
  const watch = createBreakpointWatch();
  watch.set([{ id: "it", enabled: true, ...rule }]);
  const counts = new Map<string, number>();
  return records().flatMap((record) => {
    const count = (counts.get(record.type) ?? 0) + 1;
    counts.set(record.type, count);
    return watch.see(record).length > 0 ? [`${record.type} ${count}`] : [];
  });
}

describe("a breakpoint is met", () => {
  test.each<[string, BreakpointRule, string[]]>([
    ["when the prompt is read", { type: "event", event: "prefilled" }, ["prefilled 1"]],
    [
      "at a pass that gives odds",
      { type: "event", event: "forwardPass" },
      ["forwardPass 2", "forwardPass 3", "forwardPass 4", "forwardPass 5"],
    ],
    ["when tokens are removed", { type: "event", event: "backtracked" }, ["backtracked 1", "backtracked 2"]],
    [
      "at any answer of a mod",
      { type: "event", event: "modCall" },
      ["modCall 1", "modCall 2", "modCall 3", "modCall 4"],
    ],
    ["by a text in one token", { type: "text", text: "Max" }, ["added 1"]],
    ["by a text over several tokens", { type: "text", text: "Max ab" }, ["added 3", "added 5"]],
    ["by a text within tokens that came together", { type: "text", text: "c. a" }, ["added 5"]],
    ["once for each time that it comes", { type: "text", text: " a" }, ["added 2", "added 5"]],
    ["never by a hidden text", { type: "text", text: "secret" }, []],
    ["never by a text in other letters", { type: "text", text: "max" }, []],
    ["never over what was taken back", { type: "text", text: "b ab" }, []],
    ["below a probability", { type: "probability", below: 0.05 }, ["sampled 2"]],
    ["below another", { type: "probability", below: 1 }, ["sampled 1", "sampled 2", "sampled 3"]],
    ["by what any mod does", { type: "action", action: "any", mod: null }, ["modCall 2", "modCall 3"]],
    ["by what one mod does", { type: "action", action: "any", mod: "first" }, ["modCall 3"]],
    ["by a kind of action", { type: "action", action: "forceTokens", mod: null }, ["modCall 2"]],
    ["by a kind that another mod did", { type: "action", action: "forceTokens", mod: "first" }, []],
    ["by a failure", { type: "action", action: "fault", mod: null }, ["modCall 4"]],
  ])("%s", (_, rule, expected) => expect(met(rule)).toEqual(expected));

  test("not while it is switched off, and once it is switched on", () => {
    const watch = createBreakpointWatch();
    const rule = { id: "it", type: "event", event: "added" } as const;
    watch.set([{ ...rule, enabled: false }]);
    const all = records();
    expect(all.flatMap((record) => watch.see(record))).toEqual([]);
    watch.set([{ ...rule, enabled: true }]);
    expect(all.flatMap((record) => watch.see(record))).toHaveLength(5);
  });

  test("by a text whose beginning stood there before it was asked for", () => {
    const watch = createBreakpointWatch();
    const all = records();
    const last = all.findLastIndex(({ type }) => type === "added");
    for (const record of all.slice(0, last)) watch.see(record);
    watch.set([{ id: "late", enabled: true, type: "text", text: "Max abc" }]);
    expect(all.slice(last).flatMap((record) => watch.see(record))).toMatchObject([{ id: "late" }]);
  });
});

test.each<[BreakpointRule, RegExp | null]>([
  [{ type: "text", text: "" }, /Enter the text/],
  [{ type: "text", text: "x".repeat(501) }, /501 characters: shorten it to 500/],
  [{ type: "text", text: "x" }, null],
  [{ type: "probability", below: 0 }, /is 0: enter a number above 0/],
  [{ type: "probability", below: 1.5 }, /is 1.5/],
  [{ type: "probability", below: Number.NaN }, /NaN/],
  [{ type: "probability", below: 1 }, null],
  [{ type: "action", action: "any", mod: "x".repeat(201) }, /201 characters/],
  [{ type: "event", event: "added" }, null],
])("%j is judged", (rule, problem) => {
  if (problem) expect(breakpointProblem(rule)).toMatch(problem);
  else expect(breakpointProblem(rule)).toBeNull();
});
