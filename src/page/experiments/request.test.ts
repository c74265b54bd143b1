/** A run's request has each setting of its experiment, also after the experiment was read from a file. */
import { expect, test } from "vitest";
import type { FieldsOf } from "../../core/base/request-fields.ts";
import { defaultSampling } from "../../core/base/sampling.ts";
import { separateBanningMod } from "../../core/sdk/banned-strings.ts";
import type { ExperimentSettings } from "./experiment.ts";
import { parseExperiment } from "./parse-experiment.ts";
import { type ExperimentRequest, requestOfRun } from "./request.ts";
import { twoByTwo } from "./testing/small-experiment.ts";

const tool = { type: "function", function: { name: "feed" } } as const;

/** For each field, a value that is no default of experiments: in the file, and in the request. Mods apply banned strings. */
const fields: {
  readonly [Field in Exclude<FieldsOf<"experiment">, "bannedStrings">]: readonly [
    ExperimentSettings[Field],
    ExperimentRequest[Field],
  ];
} = {
  thinking: [false, false],
  rawPrompt: [true, true],
  parseSpecial: [true, true],
  heal: [false, false],
  tools: [[JSON.stringify(tool)], [tool]],
  toolChoice: ["required", "required"],
  parallelToolCalls: [false, false],
  responseFormat: ['{"type":"json_object"}', { type: "json_object" }],
  sampling: [
    { ...defaultSampling, topK: 5 },
    { ...defaultSampling, topK: 5 },
  ],
  maxTokens: [7, 7],
  stop: [["x"], ["x"]],
  onModError: ["continue", "continue"],
  budget: [99, 99],
  deadlines: [
    { load: 1, prefilled: 2, event: 3 },
    { load: 1, prefilled: 2, event: 3 },
  ],
};

function requestWith(settings: object): ExperimentRequest {
  const file = JSON.stringify({ ...twoByTwo, settings: { ...twoByTwo.settings, ...settings } });
  const run = { number: 0, modSet: 0, prompt: 0, value: 0, seed: 0 };
  return requestOfRun(parseExperiment(JSON.parse(file)), run, "r");
}

test.each(Object.entries(fields))("%s", (field, [inFile, inRequest]) => {
  expect(requestWith({ [field]: inFile })[field as keyof ExperimentRequest]).toEqual(inRequest);
});

test("bannedStrings", () => {
  const { mods } = requestWith({ bannedStrings: ["big dog"] });
  const without = requestWith({}).mods;
  expect(separateBanningMod(mods)).toEqual({ mods: without, phrases: ["big dog"] });
});
