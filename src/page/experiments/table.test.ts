import fc from "fast-check";
import { expect, test } from "vitest";
import { plannedRunsByNumber } from "./plan.ts";
import { type Grouping, resultTableRows } from "./table.ts";
import { sampleOutcome, someExperiment, twoByTwo } from "./testing/small-experiment.ts";

const groupings: readonly Grouping[] = ["cell", "modSet", "prompt", "value"];

test("every run stands in one row, and in as many rows as the grouping has", () => {
  fc.assert(
    fc.property(someExperiment, fc.constantFrom(...groupings), (experiment, grouping) => {
      const outcomes = plannedRunsByNumber(experiment).map(({ number }) => sampleOutcome(number));
      const rows = resultTableRows(experiment, outcomes, grouping);
      const { modSets, prompts, seeds, variation } = experiment;
      const counts = { modSet: modSets.length, prompt: prompts.length, value: variation?.values.length ?? 1 };
      const wanted = grouping === "cell" ? counts.modSet * counts.prompt * counts.value : counts[grouping];
      expect(rows).toHaveLength(wanted);
      const runs = rows.flatMap((row) => row.runs).toSorted((a, b) => a - b);
      expect(runs).toEqual(plannedRunsByNumber(experiment).map(({ number }) => number));
      if (grouping === "cell") for (const row of rows) expect(row.runs).toHaveLength(seeds.length);
    }),
  );
});

test("the order in which runs were made changes nothing", () => {
  fc.assert(
    fc.property(someExperiment, fc.constantFrom(...groupings), fc.nat(), (experiment, grouping, shift) => {
      const outcomes = plannedRunsByNumber(experiment).map(({ number }) =>
        sampleOutcome(number, { tokens: number % 5 }),
      );
      const turned = outcomes.map((_, at) => outcomes[(at + shift) % outcomes.length] ?? sampleOutcome(0));
      expect(resultTableRows(experiment, turned, grouping)).toEqual(
        resultTableRows(experiment, outcomes, grouping),
      );
    }),
  );
});

test("a cell's figures", () => {
  const outcomes = [
    sampleOutcome(0, { tokens: 10, surprisal: null, finishReason: "stop" }),
    sampleOutcome(1, { tokens: 14, verdicts: [{ holds: false, problem: null }] }),
    sampleOutcome(2, { tokens: 12, verdicts: [{ holds: null, problem: "too much" }] }),
    sampleOutcome(3, { tokens: 0, surprisal: null, finishReason: "error", error: "It threw.", verdicts: [] }),
  ];
  const [first, second, third] = resultTableRows(twoByTwo, outcomes, "cell");
  expect(first).toMatchObject({
    modSet: 0,
    prompt: 0,
    value: 0,
    made: 3,
    failed: 0,
    tokens: { mean: 12, count: 3 },
    surprisal: { mean: 2, count: 2 },
    finishReasons: [
      ["length", 2],
      ["stop", 1],
    ],
    checks: [{ holds: 1, of: 2, unknown: 1, problem: "too much" }],
  });
  expect(first?.tokens.low).toBeCloseTo(12 - (4.3027 * 2) / Math.sqrt(3), 4);
  expect(second).toMatchObject({ made: 1, failed: 1, surprisal: { mean: null }, checks: [{ of: 0 }] });
  expect(third).toMatchObject({ made: 0, prompt: 1 });
});

test("at temperature 0 seeds that gave the same answer are one observation", () => {
  const { sampling } = twoByTwo.settings;
  const greedy = {
    ...twoByTwo,
    settings: { ...twoByTwo.settings, sampling: { ...sampling, temperature: 0 } },
  };
  const same = plannedRunsByNumber(greedy).map(({ number, prompt }) =>
    sampleOutcome(number, { tokens: 10 + prompt }),
  );
  expect(resultTableRows(greedy, same, "cell")[0]).toMatchObject({
    made: 3,
    tokens: { count: 1, low: null },
  });
  expect(resultTableRows(greedy, same, "modSet")[0]).toMatchObject({
    made: 6,
    tokens: { count: 2, mean: 10.5 },
  });
  expect(resultTableRows(twoByTwo, same, "cell")[0]).toMatchObject({ tokens: { count: 3 } });
  const different = same.map((outcome) => sampleOutcome(outcome.number, { text: `${outcome.number}` }));
  expect(resultTableRows(greedy, different, "cell")[0]).toMatchObject({ tokens: { count: 3 } });
});
