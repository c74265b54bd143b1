import { expect, test } from "vitest";
import { defaultSampling } from "../../../core/base/sampling.ts";
import { banningModSource } from "../../../core/sdk/banned-strings.ts";
import { requestRecord } from "../../../core/trace/testing/trace-builder.ts";
import { runCount } from "../../experiments/experiment.ts";
import {
  consecutiveSeeds,
  type EditorRequest,
  type ExperimentFormValues,
  experimentOfForm,
  readSeeds,
} from "./form-values.ts";
import { withAndWithoutAllMods, withAndWithoutMod } from "./with-and-without.ts";

const editor: EditorRequest = {
  model: "stories260k",
  request: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hm." },
    ],
    sampling: defaultSampling,
    maxTokens: 8,
    stop: ["\n"],
    seed: 5,
    onModError: "stop",
    deadlines: { event: 400 },
  },
  bannedStrings: [],
  mods: [
    { id: "a", name: "first", source: "export default 1;", entry: null },
    { id: "b", name: "second", source: "export const other = 1;", entry: "other" },
    { id: "c", name: "third", source: "", entry: null },
  ],
};

const values: ExperimentFormValues = {
  name: " Mine ",
  without: true,
  alone: ["b", "a"],
  together: true,
  prompts: "One\n\n Two \r\nThree",
  seeds: "2",
  setting: "",
  values: "",
  checks: [],
};

test("an experiment of what stands in the editor", () => {
  const experiment = experimentOfForm(values, editor);
  expect(experiment).toMatchObject({ name: "Mine", model: "stories260k", seeds: [5, 6], variation: null });
  expect(experiment.modSets.map(({ name, mods }) => [name, mods.length])).toEqual([
    ["without mods", 0],
    ["first", 1],
    ["second", 1],
    ["first + second", 2],
  ]);
  expect(experiment.modSets[2]?.mods[0]?.entry).toBe("other");
  expect(experiment.prompts.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
    ["Be brief.", "One", "Hm."],
    ["Be brief.", "Two", "Hm."],
    ["Be brief.", "Three", "Hm."],
  ]);
  expect(experiment.settings).toMatchObject({
    maxTokens: 8,
    stop: ["\n"],
    deadlines: { event: 400, load: 2_000 },
  });
  const varied = experimentOfForm({ ...values, setting: "temperature", values: "0, 0.5" }, editor);
  expect(runCount(varied)).toBe(4 * 3 * 2 * 2);
});

const wrong: readonly [Partial<ExperimentFormValues>, RegExp][] = [
  [{ without: false, alone: [] }, /No mod is chosen/],
  [{ prompts: " \n" }, /no prompt/],
  [{ seeds: "" }, /seeds are missing/],
  [{ seeds: "five" }, /“five”, which is not a number/],
  [{ seeds: "0" }, /number of seeds is 0: write a whole number from 1 to 1000/],
  [{ seeds: "1.5" }, /number of seeds is 1\.5/],
  [{ seeds: "-1," }, /seeds\[0\] should be a whole number from 0/],
  [{ setting: "topP", values: "" }, /values of the setting are missing/],
  [{ setting: "topP", values: "0.5, 7" }, /values\[1\] should be from 0 to 1, but is 7/],
];

test.each(wrong)("%j is refused", (changes, says) => {
  expect(() => experimentOfForm({ ...values, ...changes }, editor)).toThrow(says);
});

test("seeds: how many, or which ones", () => {
  expect(readSeeds("3", 0xfffffffe)).toEqual([0xfffffffe, 0xffffffff, 0]);
  expect(readSeeds("3,", 1)).toEqual([3]);
  expect(readSeeds("7, 9", 1)).toEqual([7, 9]);
  expect(consecutiveSeeds(4, 1)).toEqual([4]);
});

test("with and without a mod: the others that are switched on run on both sides", () => {
  const { modSets, seeds, prompts } = withAndWithoutMod("b", editor, new Set(["a"]), 8);
  expect(modSets.map(({ name, mods }) => [name, mods.map((mod) => mod.name)])).toEqual([
    ["without second", ["first"]],
    ["with second", ["first", "second"]],
  ]);
  expect([seeds.length, prompts.length]).toEqual([8, 1]);
});

test("with and without the mods of a run: its own prompt, settings and seed", () => {
  const mods = [{ name: "rename", source: "export default 1;" }];
  const request = requestRecord({ mods, seed: -1, maxTokens: 9, deadlines: null });
  const { modSets, seeds, settings, model } = withAndWithoutAllMods(request, 1);
  expect(modSets.map((set) => set.mods)).toEqual([[], mods]);
  expect([seeds, settings.maxTokens, settings.deadlines, model]).toEqual([
    [0xffffffff],
    9,
    null,
    request.model.id,
  ]);
  expect(() => withAndWithoutAllMods({ ...request, mods: [] }, 1)).toThrow(/had no mod/);
});

test("banned texts of the editor, and of a run, are a setting of the experiment", () => {
  const banned = experimentOfForm(values, { ...editor, bannedStrings: ["big dog"] });
  expect(banned.settings.bannedStrings).toEqual(["big dog"]);
  expect(experimentOfForm(values, editor).settings).not.toHaveProperty("bannedStrings");
  const mods = [
    { name: "own", source: "// own" },
    { name: "banned_strings", source: banningModSource(["big dog"]) },
  ];
  const { modSets, settings } = withAndWithoutAllMods(requestRecord({ mods }), 1);
  expect(modSets.map((each) => each.mods.map(({ name }) => name))).toEqual([[], ["own"]]);
  expect(settings.bannedStrings).toEqual(["big dog"]);
});
