/**
 * `npx tsx scripts/record-experiments.ts [stories|smollm2]`: runs the experiments that come with the page, on the real models in
 * Node, and writes them with their outcomes to src/page/examples/experiments. SmolLM2 (int8 weights) is read from the folder in
 * MIDTOKEN_MODELS.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { defaultSampling } from "../src/core/base/sampling.ts";
import { createTraceModel } from "../src/core/trace/model/trace-model.ts";
import { openExportedModel } from "../src/page/examples/testing/exported-model.ts";
import { inProcessMod } from "../src/page/examples/testing/in-process-mod.ts";
import type { Experiment } from "../src/page/experiments/experiment.ts";
import { experimentFileEnding, experimentToJson } from "../src/page/experiments/experiment-file.ts";
import { createRunEvaluator } from "../src/page/experiments/judge.ts";
import type { RunOutcome } from "../src/page/experiments/outcome.ts";
import { parseExperiment } from "../src/page/experiments/parse-experiment.ts";
import { plannedRunsInOrder } from "../src/page/experiments/plan.ts";
import { requestOfRun } from "../src/page/experiments/request.ts";
import { plainSettings } from "../src/page/experiments/testing/plain-settings.ts";
import { modelFolder } from "./models-folder.ts";

const folder = "src/page/examples/experiments";

/** Mod sets that insert the same words at different places of the output. */
const positions = (words: string): Experiment["modSets"] => {
  const once = (handler: string) =>
    `import { mod, requestState } from "midtoken/mod";\n\nconst words = ${JSON.stringify(words)};\nconst isDone = requestState(() => false);\n\nexport default mod({\n${handler}\n});\n`;
  const added = (condition: string, answer: string) =>
    once(
      `  added(event, actions${answer.includes("tokenizer") ? ", tokenizer" : ""}) {\n    if (isDone.current || ${condition}) return;\n    isDone.current = true;\n    return ${answer};\n  },`,
    );
  const atStart = `import { mod } from "midtoken/mod";\n\nexport default mod({\n  forwardPass(event, actions) {\n    if (event.step === 0) return actions.forceTokens(${JSON.stringify(words)});\n  },\n});\n`;
  const sources = {
    "at the start": atStart,
    "after 12 tokens": added("event.isEos || event.step < 12", "actions.forceTokens(words)"),
    "after a sentence": added("!/[.!?]/.test(event.text)", "actions.forceTokens(words)"),
    "in place of the end": added("!event.isEos", "actions.backtrack(1, words)"),
  };
  return [
    { name: "without mods", mods: [] },
    ...Object.entries(sources).map(([name, source]) => ({
      name,
      mods: [{ name: name.replaceAll(" ", "-"), source }],
    })),
  ];
};

const says = (content: string) => ({ messages: [{ role: "user", content } as const] });

const settings = plainSettings({ ...defaultSampling, temperature: 0.7, topP: 0.95 }, 48);

const stories: Experiment = {
  variation: null,
  name: "Where to inject words: a dragon, story model",
  model: "stories260k",
  modSets: positions(" Suddenly, a dragon landed."),
  prompts: [
    ...[
      "Once upon a time",
      "One day, a cat",
      "Lily and Tom went to the park",
      "There was a little boy named Tim",
    ],
    ...[
      "The sun was hot",
      "A big dog ran",
      "Mom said",
      "In the forest",
      "Sara had a red ball",
      "It was a cold night",
    ],
  ].map(says),
  seeds: [1, 2, 3, 4, 5],
  settings: { ...settings, maxTokens: 200 },
  checks: [
    { name: "comes back to the dragon", type: "regex", source: "dragon(.|\\n)*dragon", flags: "i" },
    { name: "names Lily", type: "text", text: "Lily", ignoreCase: false },
  ],
};

const smollm2: Experiment = {
  variation: null,
  name: "Where to inject words: penguins, SmolLM2 (recorded with int8 weights)",
  model: "onnx-community/SmolLM2-135M-Instruct-ONNX",
  modSets: positions(" But think of the penguins."),
  prompts: [
    ...["What is the capital of France?", "Why is the sky blue?", "What is 12 plus 5?", "Name a good book."],
    ...["How do I boil an egg?", "What do bees make?", "Is the moon a star?", "What is a river?"],
    ...["Give me a tip for sleeping well.", "What should I eat for lunch?"],
  ].map((question) => says(`${question} Answer in one sentence.`)),
  seeds: [1, 2, 3],
  settings,
  checks: [{ name: "comes back to penguins", type: "regex", source: "penguin(.|\\n)*penguin", flags: "i" }],
};

async function record(name: string, wanted: Experiment, modelFolder: string, graph: string): Promise<void> {
  const experiment = parseExperiment(wanted);
  const model = await openExportedModel(modelFolder, graph, experiment.model);
  const judge = createRunEvaluator(experiment, () =>
    Promise.reject(new Error("There is no sandbox in Node.")),
  );
  const outcomes: RunOutcome[] = [];
  for (const run of plannedRunsInOrder(experiment)) {
    const request = requestOfRun(experiment, run, `run-${run.number}`);
    const mods = request.mods.map(({ source }) => inProcessMod(source, model.tokenizer));
    const { records } = await model.run(request, mods);
    const trace = createTraceModel();
    trace.append(records);
    outcomes.push(await judge(run, trace, `run-${run.number}`));
    process.stderr.write(`\r${name}: ${outcomes.length}`);
  }
  await model.dispose();
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}${experimentFileEnding}`, experimentToJson({ experiment, outcomes }));
  process.stderr.write("\n");
}

const [only] = process.argv.slice(2);
if (only !== "smollm2")
  await record("injection-positions-stories", stories, "public/models/stories260k", "onnx/model.onnx");
if (only !== "stories") {
  const found = modelFolder("smollm2-135m-instruct");
  if (found === null) throw new Error("Set MIDTOKEN_MODELS to the folder that has smollm2-135m-instruct.");
  await record("injection-positions-smollm2", smollm2, found, "onnx/model_int8.onnx");
}
process.exit();
