import { expect, test } from "vitest";
import type { TraceBranch } from "../../../core/trace/format/format-request.ts";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { actedLinesOfMod } from "./lines-of-mod.ts";

const source = "one\ntwo\nthree";
const forced = { type: "forceTokens" as const, tokens: [7], text: "!", cut: 0 };

/** Mods by their sources; each line is one that acted, by the mod's place. */
function traceOf(
  sources: readonly string[],
  acted: readonly (readonly [number, number])[],
  branch?: TraceBranch,
) {
  const mods = sources.map((each) => ({ name: "m", source: each }));
  const run = createTraceBuilder(requestRecord({ mods, branch: branch ?? null }));
  run.prefill([{ token: 1, text: "One" }]);
  for (const [mod, line] of acted) {
    run.forward({ entropy: 1, top: [] });
    run.add([{ token: 2, text: " a" }], "sampled");
    run.call(mod, "added", forced, { line });
    run.add([{ token: 7, text: "!" }], "forced", { mod });
  }
  const trace = createTraceModel();
  trace.append(run.finish("length").records);
  return trace;
}

const shown = (...given: Parameters<typeof actedLinesOfMod>) => {
  const { lines, isEarlier } = actedLinesOfMod(...given);
  return { lines: Object.fromEntries([...lines].map(([line, tokens]) => [line, tokens.length])), isEarlier };
};

test("as it ran: the lines that acted", () => {
  const trace = traceOf(
    [source],
    [
      [0, 2],
      [0, 2],
      [0, 3],
    ],
  );
  expect(shown(trace, ["a"], { id: "a", source })).toEqual({ lines: { 2: 2, 3: 1 }, isEarlier: false });
});

test("edited since: the lines that took their place, said to be earlier ones", () => {
  const trace = traceOf(
    [source],
    [
      [0, 2],
      [0, 3],
    ],
  );
  expect(shown(trace, ["a"], { id: "a", source: "zero\none\nTWO\nthree" })).toEqual({
    lines: { 3: 1, 4: 1 },
    isEarlier: true,
  });
  expect(shown(trace, ["a"], { id: "a", source: "one\nthree" })).toEqual({
    lines: { 2: 1 },
    isEarlier: true,
  });
});

test("of a run from elsewhere, by its source; of another mod, nothing", () => {
  const trace = traceOf([source], [[0, 2]]);
  expect(shown(trace, [], { id: "b", source })).toEqual({ lines: { 2: 1 }, isEarlier: false });
  expect(shown(trace, [], { id: "b", source: "other" })).toEqual({ lines: {}, isEarlier: false });
  expect(shown(trace, ["a"], { id: "b", source: "other" })).toEqual({ lines: {}, isEarlier: false });
});

test("of a run that went on with it changed: what it did before and since", () => {
  const branch = { requestId: "r", index: 2, isChosen: false, caughtUp: 6, parentMods: 1, difference: null };
  const trace = traceOf(
    ["zero\none\ntwo\nthree", source],
    [
      [1, 2],
      [0, 3],
      [0, 4],
    ],
    branch,
  );
  expect(shown(trace, ["a"], { id: "a", source: "zero\none\ntwo\nthree" })).toEqual({
    lines: { 3: 2, 4: 1 },
    isEarlier: true,
  });
});
