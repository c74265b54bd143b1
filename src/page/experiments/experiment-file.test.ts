import fc from "fast-check";
import { expect, test } from "vitest";
import { runsToCsv, tableToCsv } from "./csv.ts";
import type { Experiment } from "./experiment.ts";
import { experimentFromJson, experimentToJson } from "./experiment-file.ts";
import { parseExperiment } from "./parse-experiment.ts";
import { plannedRunsByNumber } from "./plan.ts";
import { resultTableRows } from "./table.ts";
import { sampleOutcome, someExperiment, twoByTwo } from "./testing/small-experiment.ts";

const everything: Experiment = {
  ...twoByTwo,
  variation: { setting: "maxTokens", values: [8, 16] },
  settings: {
    ...twoByTwo.settings,
    stop: ["\n"],
    budget: 100,
    deadlines: { load: 1, prefilled: 2, event: 3 },
    tools: ['{"type":"function"}'],
    responseFormat: '{"type":"json_object"}',
    toolChoice: { type: "function", function: { name: "weather" } },
  },
  checks: [
    { name: "regex", type: "regex", source: "^a", flags: "i" },
    { name: "schema", type: "schema", schema: '{"type":"object"}' },
    { name: "function", type: "function", source: "const check = () => true;" },
  ],
};

test("a file gives back what it was made of", () => {
  fc.assert(
    fc.property(someExperiment, (experiment) => {
      const outcomes = plannedRunsByNumber(experiment).map(({ number }) => sampleOutcome(number));
      expect(experimentFromJson(experimentToJson({ experiment, outcomes }))).toEqual({
        experiment,
        outcomes,
      });
    }),
  );
  const empty = { experiment: everything, outcomes: [] };
  expect(experimentFromJson(experimentToJson(empty))).toEqual(empty);
});

const wrong: readonly [what: string, value: unknown, says: RegExp][] = [
  ["no object", 3, /should be an object, but is 3/],
  ["no prompt", { ...twoByTwo, prompts: [] }, /prompts is empty/],
  ["an empty conversation", { ...twoByTwo, prompts: [{ messages: [] }] }, /prompts\[0\]\.messages is empty/],
  ["a seed twice", { ...twoByTwo, seeds: [1, 1] }, /seeds contains 1 twice/],
  ["a seed below 0", { ...twoByTwo, seeds: [-1] }, /seeds\[0\] should be a whole number from 0/],
  ["too many seeds", { ...twoByTwo, seeds: Array.from({ length: 1_001 }, (_, at) => at) }, /1001 entries/],
  [
    "too many runs",
    {
      ...twoByTwo,
      seeds: Array.from({ length: 1_000 }, (_, at) => at),
      prompts: Array(6).fill(twoByTwo.prompts[0]),
    },
    /12000 runs \(2 mods × 6 prompts × 1000 seeds\), but the limit is 10000/,
  ],
  ["an unknown setting", { ...twoByTwo, variation: { setting: "heat", values: [1] } }, /variation\.setting/],
  [
    "a value out of range",
    { ...twoByTwo, variation: { setting: "topP", values: [2] } },
    /variation\.values\[0\] should be from 0 to 1, but is 2/,
  ],
  [
    "a check that is wrong",
    { ...twoByTwo, checks: [{ name: "r", type: "regex", source: "(", flags: "" }] },
    /Check 1 \(r\): .*column/,
  ],
  [
    "tools that are no JSON",
    { ...twoByTwo, settings: { ...twoByTwo.settings, tools: ["{"] } },
    /settings\.tools\[0\] should be JSON/,
  ],
];

test.each(wrong)("refused: %s", (_, value, says) => {
  expect(() => parseExperiment(value)).toThrow(says);
});

const wrongFiles: readonly [what: string, json: string, says: RegExp][] = [
  ["no JSON", "<html>", /is not JSON/],
  ["another JSON", "[]", /not a Midtoken experiment/],
  ["a newer version", '{"midtoken":"experiment","version":99}', /newer version of Midtoken/],
  ["no version", '{"midtoken":"experiment"}', /damaged/],
  [
    "an outcome of no run",
    experimentToJson({ experiment: twoByTwo, outcomes: [sampleOutcome(12)] }),
    /\[0\]\.number should be a whole number from 0 to 11/,
  ],
  [
    "an outcome twice",
    experimentToJson({ experiment: twoByTwo, outcomes: [sampleOutcome(1), sampleOutcome(1)] }),
    /two results for the same run/,
  ],
];

test.each(wrongFiles)("refused file: %s", (_, json, says) => {
  expect(() => experimentFromJson(json)).toThrow(says);
});

test.each([
  ...[
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\r\n1",
    " =1",
    "\u00a0=1",
    "\ufeff=1",
    "\u200b+1",
  ],
  ...[
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(A1)",
    "﹦1",
    " ＝1",
    "\u0000=1",
    "\u3000＝1",
    "\ufeff\n =1",
    "\v=1",
    "\u2028=1",
    "\u115f=1",
    "\u3164=1",
    "\uffa0=1",
    "\u2800=1",
    "\ufe0f=1",
    "\u034f \u0301=1",
    "\ud800=1",
    "\ue000=1",
  ],
])("CSV: %j is no formula", (text) => {
  const [, line = ""] = runsToCsv(twoByTwo, [sampleOutcome(0, { text, surprisal: null })]).split("\r\n");
  const rows = runsToCsv(twoByTwo, [sampleOutcome(0, { text, surprisal: null })]);
  const cell = `'${text}`;
  expect(rows.endsWith(`,${/[\t\r\n]/.test(text) ? `"${cell}"` : cell}\r\n`), line).toBe(true);
});

test.each(["a = b", "1", "é", "x\n=1", " a", "'=1"])("CSV: %j stays as it is", (text) => {
  const rows = runsToCsv(twoByTwo, [sampleOutcome(0, { text, surprisal: null })]);
  expect(rows.endsWith(`,${text.includes("\n") ? `"${text}"` : text}\r\n`)).toBe(true);
});

test("CSV: quotes, line ends, and nothing that a spreadsheet would compute", () => {
  const experiment = {
    ...twoByTwo,
    seeds: [7],
    variation: { setting: "temperature", values: [0.5] } as const,
  };
  const texts = ["=1+1", 'She said "no", and left', "a\nb", "-"];
  const outcomes = texts.map((text, number) => sampleOutcome(number, { text, surprisal: null }));
  const lines = runsToCsv(experiment, outcomes).split("\r\n");
  expect(lines[0]).toBe(
    "run,mods,prompt,Temperature,seed,interventions,tokens,surprisal (bits per token),finish reason,error,a name,prompt tokens,reused prompt tokens,forward passes,total prompt time (µs),total decode time (µs),answer",
  );
  expect(lines[1]).toBe("0,without,Once upon a time,0.5,7,1,16,,length,,yes,4,0,17,100,4000,'=1+1");
  expect(lines[2]).toMatch(/,"She said ""no"", and left"$/);
  expect(lines[3]).toMatch(/,"a\nb"$/);
  expect(lines[4]).toMatch(/,'-$/);
  const [head = "", row = ""] = tableToCsv(experiment, resultTableRows(experiment, outcomes, "cell")).split(
    "\r\n",
  );
  expect(row.split(",")).toHaveLength(head.split(",").length);
  expect(row).toBe("without,Once upon a time,0.5,1,1,0,1,,,16,,,,,,length 1,1,1,1,,");
});
