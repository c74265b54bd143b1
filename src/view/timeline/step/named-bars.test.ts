import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { banOfOne, createTraceBuilder, requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { tokenDrawDistribution } from "./drawn-from.ts";
import { namedTokenDrawBars } from "./named-bars.ts";
import { stepProbabilities } from "./step-probabilities.ts";
import { twoTokenProbabilities, twoTokenTopK } from "./testing/two-token-probabilities.ts";

const edit = (temperature: number | null) => ({ ...banOfOne, temperature }) as typeof banOfOne;

/**
 * Three mods. The arguments are the lists that the second and the third mod read after the previous edit; null if not
 * recorded.
 */
function bars(read: readonly [number | null, number | null], temperatures: readonly (number | null)[]) {
  const mods = ["one", "two", "three"].map((name) => ({ name, source: "" }));
  const run = createTraceBuilder(requestRecord({ mods }));
  run.prefill([{ token: 9, text: "x" }]);
  run.forward(twoTokenProbabilities(0.8));
  run.call(0, "forwardPass", edit(temperatures[0] ?? null));
  for (const [place, first] of read.entries()) {
    const shown = first === null ? {} : { given: twoTokenTopK(first) };
    run.call(place + 1, "forwardPass", edit(temperatures[place + 1] ?? null), shown);
  }
  run.adjust(twoTokenProbabilities(0.1));
  run.sample(
    { token: 2, text: " b" },
    { logprobBefore: Math.log(0.2), logprobAfter: Math.log(0.9), probability: 0.9, candidates: 2 },
  );
  run.add([{ token: 2, text: " b" }], "sampled");
  const trace = createTraceModel();
  trace.append(run.finish("length").records);
  const found = stepProbabilities(trace, 0);
  if (!found) throw new Error("The step has no odds.");
  const settings = { sampling: requestRecord().sampling, vocabularySize: 512 };
  const last = found.stages.at(-1)?.probabilities ?? found.model;
  const drawn = tokenDrawDistribution({
    ...settings,
    probabilities: last,
    temperature: 1,
    known: found.sampled,
  });
  if (!drawn) throw new Error("The step has no draw.");
  const without = tokenDrawDistribution({
    ...settings,
    probabilities: found.model,
    temperature: 1,
    known: null,
  });
  return namedTokenDrawBars(found, { without, drawn }, { ...settings, draw: 0.5 }).map(
    ({ name, bar, hit }) => {
      const first = bar.parts.find(({ token }) => token?.token === 1);
      return [name, Math.round(((first?.to ?? 0) - (first?.from ?? 0)) * 100), hit];
    },
  );
}

const none = [null, null, null];

test("one bar after each mod in between, at the odds that the next one read", () => {
  expect(bars([0.6, 0.4], none)).toEqual([
    ["without the mods", 80, "2"],
    ["after one", 60, null],
    ["after two", 40, null],
    ["with the mods", 10, "2"],
  ]);
});

test("where nobody read the odds there is none", () => {
  expect(bars([null, 0.4], none).map(([name]) => name)).toEqual([
    "without the mods",
    "after two",
    "with the mods",
  ]);
});

test("each is drawn at the temperature that the mods had set by then", () => {
  // 0.6 and 0.4 at temperature 0.5 are 0.36 and 0.16 of 0.52.
  expect(bars([0.6, 0.6], [0.5, null, 2]).slice(1, 3)).toEqual([
    ["after one", 69, null],
    ["after two", 69, null],
  ]);
  expect(bars([0.6, 0.6], [null, 0.5, 2]).slice(1, 3)).toEqual([
    ["after one", 60, null],
    ["after two", 69, null],
  ]);
});
