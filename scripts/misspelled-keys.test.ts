/**
 * Every object that a user can write refuses a misspelled key, with its path and the key that was meant. A workspace file reports
 * the key and leaves it out. The keys are those that the refusal of a strange key lists, so a new field is covered by itself.
 */
import { expect, test } from "vitest";
import models from "../models.json" with { type: "json" };
import { nearestName } from "../src/core/base/known-keys.ts";
import { parseVectorFile } from "../src/core/vectors/known-vector.ts";
import { sampleVector } from "../src/core/vectors/testing/sample-vector.ts";
import { readModTests } from "../src/package/node/cli/mod-tests.ts";
import { readOptions } from "../src/package/node/cli/options.ts";
import { openWorkspace } from "../src/page/app/workspace/workspace-file.ts";
import { parseExperiment } from "../src/page/experiments/parse-experiment.ts";
import { twoByTwo } from "../src/page/experiments/testing/small-experiment.ts";
import { parseCatalog } from "../src/runtime/engine/choose/catalog.ts";
import { bodyPlaces } from "./misspelled/bodies.ts";
import { functionPlaces } from "./misspelled/functions.ts";
import { called, type Json, type Place, user } from "./misspelled/place.ts";

const cases = (each: Json) => readModTests("a.test.ts", { mods: [], cases: [{ prompt: "a", ...each }] });

const times = { load: 1_000, prefilled: 1_000, event: 1_000 };
const experimentWith = (message: Json) =>
  parseExperiment({ ...twoByTwo, prompts: [{ messages: [message] }] });
const catalog = (fields: Json) =>
  parseCatalog({ models: [{ ...models.models[0], ...fields }] }, "https://example.com/");
const vector = sampleVector("away");
const vectorFileWith = (fields: Json) =>
  parseVectorFile(JSON.stringify({ midtoken: "vector", version: 1, ...vector, ...fields }));

/** A workspace comes in all the same, and says which fields stay out: one field must not cost a user the only backup. */
async function workspace(fields: Json): Promise<void> {
  const line = JSON.stringify({ midtoken: "workspace", version: 1, ...fields });
  const { contents } = await openWorkspace(new Blob([line]));
  if (contents.leftOut.length > 0) throw new Error(contents.leftOut.join(" "));
}

/** The line of a run in a workspace: the run comes in, and its unknown field stays out. */
async function runOfWorkspace(fields: Json): Promise<void> {
  const run = { id: "a", when: 1, interrupted: false, star: false, tags: [], title: null, trace: "" };
  const lines = [
    { midtoken: "workspace", version: 1, runCount: 1 },
    { ...run, ...fields },
  ];
  const file = new Blob(lines.map((line) => `${JSON.stringify(line)}\n`));
  for await (const found of (await openWorkspace(file)).runs())
    if (found?.leftOut) throw new Error(found.leftOut);
}

const setup = (fields: Json) => workspace({ setup: { turns: [], settings: {}, ...fields } });
const pageSettings = (settings: Json) => setup({ settings });

const places: readonly Place[] = [
  ...bodyPlaces,
  ...functionPlaces,
  {
    what: "test file",
    path: "",
    read: (extra) => readModTests("a.test.ts", { mods: [], cases: [{ prompt: "a" }], ...extra }),
  },
  {
    what: "settings of a test file",
    path: "settings",
    read: (extra) => readModTests("a.test.ts", { mods: [], cases: [{ prompt: "a" }], settings: extra }),
  },
  { what: "test case", path: "cases[0]", read: cases },
  { what: "expectation", path: "cases[0].expect", read: (extra) => cases({ expect: extra }) },
  {
    what: "count of interventions",
    path: "cases[0].expect.interventions",
    read: (extra) => cases({ expect: { interventions: extra } }),
  },
  { what: "model of the catalogue", path: "", read: catalog },
  { what: "experiment", path: "", read: (extra) => parseExperiment({ ...twoByTwo, ...extra }) },
  {
    what: "settings of an experiment",
    path: "settings",
    read: (extra) => parseExperiment({ ...twoByTwo, settings: { ...twoByTwo.settings, ...extra } }),
  },
  {
    what: "sampling of an experiment",
    path: "settings.sampling",
    read(extra) {
      const { settings } = twoByTwo;
      const sampling = { ...settings.sampling, ...extra };
      return parseExperiment({ ...twoByTwo, settings: { ...settings, sampling } });
    },
  },
  {
    what: "prompt of an experiment",
    path: "prompts[0]",
    read: (extra) => parseExperiment({ ...twoByTwo, prompts: [{ messages: [user], ...extra }] }),
  },
  {
    what: "message of an experiment",
    path: "prompts[0].messages[0]",
    read: (extra) => parseExperiment({ ...twoByTwo, prompts: [{ messages: [{ ...user, ...extra }] }] }),
  },
  {
    what: "deadlines of an experiment",
    path: "settings.deadlines",
    read: (extra) =>
      parseExperiment({ ...twoByTwo, settings: { ...twoByTwo.settings, deadlines: { ...times, ...extra } } }),
  },
  {
    what: "tool choice of an experiment",
    path: "settings.toolChoice",
    read(extra) {
      const toolChoice = { type: "function", function: { name: "f" }, ...extra };
      return parseExperiment({ ...twoByTwo, settings: { ...twoByTwo.settings, toolChoice } });
    },
  },
  {
    what: "set of mods of an experiment",
    path: "modSets[0]",
    read: (extra) => parseExperiment({ ...twoByTwo, modSets: [{ name: "a", mods: [], ...extra }] }),
  },
  {
    what: "mod of an experiment",
    path: "modSets[0].mods[0]",
    read: (extra) =>
      parseExperiment({ ...twoByTwo, modSets: [{ name: "a", mods: [{ name: "b", source: "", ...extra }] }] }),
  },
  {
    what: "content part of an experiment",
    path: "prompts[0].messages[0].content[0]",
    read: (extra) => experimentWith({ role: "user", content: [{ type: "text", text: "a", ...extra }] }),
  },
  {
    what: "tool call of an experiment",
    path: "prompts[0].messages[0].tool_calls[0]",
    read: (extra) =>
      experimentWith({ role: "assistant", content: null, tool_calls: [{ ...called, ...extra }] }),
  },
  {
    what: "called function of an experiment",
    path: "prompts[0].messages[0].tool_calls[0].function",
    read: (extra) =>
      experimentWith({
        role: "assistant",
        content: null,
        tool_calls: [{ ...called, function: { ...called.function, ...extra } }],
      }),
  },
  {
    what: "variation of an experiment",
    path: "variation",
    read: (extra) =>
      parseExperiment({ ...twoByTwo, variation: { setting: "temperature", values: [1], ...extra } }),
  },
  ...[
    { type: "text", name: "a", text: "b", ignoreCase: false },
    { type: "regex", name: "a", source: "b", flags: "" },
    { type: "schema", name: "a", schema: "{}" },
    { type: "function", name: "a", source: "" },
  ].map(
    (check): Place => ({
      what: `check of an experiment: ${check.type}`,
      path: "checks[0]",
      read: (extra) => parseExperiment({ ...twoByTwo, checks: [{ ...check, ...extra }] }),
    }),
  ),
  {
    what: "weights of a model of the catalogue",
    path: "weights[0]",
    read: (extra) => catalog({ weights: [{ dtype: "q8", bytes: 1, ...extra }] }),
  },
  {
    what: "architecture of a model of the catalogue",
    path: "architecture",
    read: (extra) => catalog({ architecture: { ...models.models[0]?.architecture, ...extra } }),
  },
  {
    what: "chat template of a model of the catalogue",
    path: "chatTemplate",
    read: (extra) =>
      catalog({ chatTemplate: { format: "chatml", toolCalls: null, thinking: false, ...extra } }),
  },
  {
    what: "dtype of a model of the catalogue",
    path: "dtype",
    read: (extra) => catalog({ dtype: { webgpu: "auto", wasm: "auto", ...extra } }),
  },
  { what: "file of a vector", path: "", read: vectorFileWith },
  {
    what: "model of a vector",
    path: "model",
    read: (extra) => vectorFileWith({ model: { ...vector.model, ...extra } }),
  },
  {
    what: "texts of a vector",
    path: "texts",
    read: (extra) => vectorFileWith({ texts: { ...vector.texts, ...extra } }),
  },
  { what: "workspace", path: "", read: workspace },
  {
    what: "mod of a workspace",
    path: "mods[0]",
    read: (extra) => workspace({ mods: [{ name: "a", source: "", needs: null, entry: null, ...extra }] }),
  },
  {
    what: "vector of a workspace",
    path: "vectors[0]",
    read: (extra) => workspace({ vectors: [{ ...vector, ...extra }] }),
  },
  { what: "run of a workspace", path: "runs[0]", read: runOfWorkspace },
  { what: "prompt and settings of a workspace", path: "setup", read: setup },
  {
    what: "turn of a workspace",
    path: "setup.turns[0]",
    read: (extra) => setup({ turns: [{ id: "1", role: "user", text: "a", ...extra }] }),
  },
  {
    what: "tool call of a workspace",
    path: "setup.turns[0].calls[0]",
    read(extra) {
      const calls = [{ id: "1", name: "f", arguments: "{}", ...extra }];
      return setup({ turns: [{ id: "1", role: "assistant", text: "", calls }] });
    },
  },
  { what: "settings of the page", path: "setup.settings", read: pageSettings },
  {
    what: "sampling of the page",
    path: "setup.settings.sampling",
    read: (extra) => pageSettings({ sampling: extra }),
  },
  {
    what: "answer settings of the page",
    path: "setup.settings.answer",
    read: (extra) => pageSettings({ answer: extra }),
  },
  {
    what: "limits of the page",
    path: "setup.settings.limits",
    read: (extra) => pageSettings({ limits: extra }),
  },
  {
    what: "deadlines of the page",
    path: "setup.settings.limits.deadlines",
    read: (extra) => pageSettings({ limits: { deadlines: extra } }),
  },
  {
    what: "command line",
    path: "",
    read: (extra) =>
      readOptions(
        Object.keys(extra).map((key) => `--${key}`),
        { model: { type: "string" }, json: { type: "boolean" }, "max-tokens": { type: "string" } },
      ),
  },
];

/** What the reader says of one more key; "" if it takes it. */
async function refusal({ read }: Place, key: string): Promise<string> {
  try {
    const made = await read({ [key]: 1 });
    if (typeof made === "object" && made !== null && "dispose" in made)
      (made as { dispose(): void }).dispose();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** The keys that the reader knows, as its refusal of a strange key lists them. */
async function knownKeys(place: Place): Promise<readonly string[]> {
  const said = await refusal(place, "zzqqxxjjvv");
  return /The known names are ([^.]*)\./.exec(said)?.[1]?.split(", ") ?? [];
}

/** A letter left out, two letters swapped, a letter twice. */
function misspellings(key: string): readonly string[] {
  const middle = Math.floor(key.length / 2);
  const [before, at, after] = [key.slice(0, middle), key.charAt(middle), key.slice(middle + 1)];
  const swapped = `${before}${after.charAt(0)}${at}${after.slice(1)}`;
  return [`${before}${after}`, swapped, `${before}${at}${at}${after}`];
}

const found: string[] = [];

test.each(places)("$what", async (place) => {
  const known = await knownKeys(place);
  expect(known.length, await refusal(place, "zzqqxxjjvv")).toBeGreaterThan(0);
  for (const key of known) {
    for (const wrong of misspellings(key)) {
      // Some misspellings are another name, or nearer to one.
      const isNear = [known, known.toReversed()].every((names) => nearestName(wrong, names) === key);
      if (known.includes(wrong) || !isNear) continue;
      const said = await refusal(place, wrong);
      expect(said).toContain(place.path === "" ? wrong : `${place.path}.${wrong}`);
      expect(said).toContain(`Did you mean "${place.what === "command line" ? "--" : ""}${key}"?`);
      found.push(wrong);
    }
  }
});

test("there are more than a thousand of them", () => {
  expect(found.length).toBeGreaterThan(1000);
});
