import fc from "fast-check";
import { expect, test } from "vitest";
import { runCount } from "./experiment.ts";
import { type PlannedRun, plannedRunsByNumber, plannedRunsInOrder } from "./plan.ts";
import { requestOfRun, temperatureOf } from "./request.ts";
import { someExperiment, twoByTwo } from "./testing/small-experiment.ts";

test("every combination is one run, whatever the order in which they are made", () => {
  fc.assert(
    fc.property(someExperiment, (experiment) => {
      const runs = plannedRunsByNumber(experiment);
      expect(runs).toHaveLength(runCount(experiment));
      expect(runs.map(({ number }) => number)).toEqual(runs.map((_, at) => at));
      const keyOf = ({ prompt, modSet, value, seed }: PlannedRun) => [prompt, modSet, value, seed].join();
      expect(new Set(runs.map(keyOf)).size).toBe(runs.length);
      expect(plannedRunsInOrder(experiment).toSorted((a, b) => a.number - b.number)).toEqual(runs);
    }),
  );
});

test("the runs of a prompt follow one another, and of a mod set within it", () => {
  fc.assert(
    fc.property(someExperiment, (experiment) => {
      for (const keyOf of [
        ({ prompt }: PlannedRun) => String(prompt),
        ({ prompt, modSet }: PlannedRun) => [prompt, modSet].join(),
      ]) {
        const keys = plannedRunsInOrder(experiment).map(keyOf);
        const turns = keys.filter((key, at) => key !== keys[at - 1]).length;
        expect(turns).toBe(new Set(keys).size);
      }
    }),
  );
});

test("prompts that begin alike are neighbours", () => {
  const says = (content: string) => ({ messages: [{ role: "user", content } as const] });
  const prompts = ["One day a cat", "Once upon", "One day a dog", "Once more"].map(says);
  const plan = plannedRunsInOrder({
    ...twoByTwo,
    prompts,
    seeds: [1],
    modSets: twoByTwo.modSets.slice(0, 1),
  });
  expect(plan.map(({ prompt }) => prompt)).toEqual([3, 1, 0, 2]);
});

test("a run's request has its prompt, mods, seed and value", () => {
  const experiment = { ...twoByTwo, variation: { setting: "temperature", values: [0, 1.5] } as const };
  const run = { number: 11, prompt: 1, modSet: 1, value: 1, seed: 2 };
  expect(requestOfRun(experiment, run, "req")).toMatchObject({
    requestId: "req",
    seed: 3,
    maxTokens: 16,
    tools: [],
    responseFormat: null,
    messages: [{ role: "user", content: "One day" }],
    mods: [{ name: "rename" }],
    sampling: { temperature: 1.5 },
  });
  expect(requestOfRun(experiment, run, "req")).not.toHaveProperty("budget");
  expect([0, 1].map((value) => temperatureOf(experiment, { value }))).toEqual([0, 1.5]);
  expect(temperatureOf(twoByTwo, { value: 0 })).toBe(0.8);
  const longer = { ...twoByTwo, variation: { setting: "maxTokens", values: [8, 32] } as const };
  expect(requestOfRun(longer, run, "req").maxTokens).toBe(32);
});
