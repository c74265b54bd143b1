/**
 * `npx tsx e2e/bench/permalink/make-corpus.ts`: records the 50 runs by which the length of links is judged, on the bundled
 * model and on SmolLM2 (`MIDTOKEN_MODELS`), under mods of the gallery, and writes them to `e2e/bench/permalink/corpus`. A
 * run is kept as a link keeps it, without alternatives: 300 KB for all of them.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { modelsFolder } from "../../../scripts/models-folder.ts";
import { defaultSampling } from "../../../src/core/base/sampling.ts";
import { encodeTraceFile } from "../../../src/core/trace/codec/codec.ts";
import { defaultParts, leftOutOf, reduceToLinkParts } from "../../../src/core/trace/file/project.ts";
import type { Trace } from "../../../src/core/trace/format/format.ts";
import type { TraceMod } from "../../../src/core/trace/format/format-request.ts";
import { traceOf } from "../../../src/core/trace/format/trace-of.ts";
import { type ExportedModel, openExportedModel } from "../../../src/page/examples/testing/exported-model.ts";
import { inProcessMod } from "../../../src/page/examples/testing/in-process-mod.ts";
import type { RunRequest } from "../../../src/runtime/session/shared/requests.ts";
import { storyMod } from "../record-story.ts";
import { corpusFolder } from "./corpus.ts";

const largestCorpus = 300_000;

interface Recording {
  readonly model: "story" | "smollm2";
  readonly mods: readonly string[];
  readonly prompt: string;
  readonly maxTokens: number;
  readonly seed: number;
  readonly temperature: number;
}

/** Mods of the gallery: usually one, at times two or none. */
const storyMods: readonly (readonly string[])[] = [
  ["story"],
  [],
  ["swap-name", "plot-twist"],
  ["ban-word"],
  ["mood-swings"],
  ["second-thoughts"],
  ["rename-hero"],
  ["change-its-mind", "happy-ending"],
  ["story", "mood-swings"],
  ["chain-story"],
];
const storyPrompts = ["Once upon a time", "One day, Lily went to the park", "The little dog was very sad"];
const storyLengths = [60, 120, 200, 300, 400];

const chatMods: readonly (readonly string[])[] = [
  [],
  ["ban-word"],
  ["double-check"],
  ["mood-swings"],
  ["second-thoughts"],
];
const chatPrompts = [
  "Why is the sky blue?",
  "Write a short letter to a friend about a rainy day.",
  "Name five animals and say one thing about each.",
  "Explain in plain words what a token is.",
  "What should I cook tonight?",
];
const chatLengths = [60, 100, 160];

const at = <Value>(values: readonly Value[], place: number): Value => values[place % values.length] as Value;

const recordings: readonly Recording[] = [
  ...Array.from({ length: 35 }, (_, place) => ({
    model: "story" as const,
    mods: at(storyMods, place),
    prompt: at(storyPrompts, place),
    maxTokens: at(storyLengths, place),
    seed: 100 + place,
    temperature: place % 4 === 3 ? 0 : 0.8,
  })),
  ...Array.from({ length: 15 }, (_, place) => ({
    model: "smollm2" as const,
    mods: at(chatMods, place),
    prompt: at(chatPrompts, Math.floor(place / 3)),
    maxTokens: at(chatLengths, place),
    seed: 200 + place,
    temperature: place % 4 === 3 ? 0 : 0.7,
  })),
];

function modOf(name: string): TraceMod {
  return name === "story" ? storyMod : { name, source: readFileSync(`src/page/examples/${name}.ts`, "utf8") };
}

async function record(model: ExportedModel, recording: Recording, place: number): Promise<Trace> {
  const mods = recording.mods.map(modOf);
  const { seed, maxTokens, temperature, prompt } = recording;
  const request: RunRequest = {
    requestId: `req_corpus${place}`,
    stop: [],
    seed,
    maxTokens,
    mods,
    onModError: "continue",
    messages: [{ role: "user", content: prompt }],
    sampling: { ...defaultSampling, temperature, topP: 0.95 },
  };
  const hosts = mods.map(({ source }) => inProcessMod(source, model.tokenizer));
  return reduceToLinkParts(traceOf(await model.run(request, hosts, 1_790_000_000_000)), defaultParts);
}

async function main(): Promise<void> {
  const folder = modelsFolder();
  if (!folder) throw new Error("Set MIDTOKEN_MODELS to a folder that has smollm2-135m-instruct.");
  rmSync(corpusFolder, { recursive: true, force: true });
  mkdirSync(corpusFolder, { recursive: true });
  const models = {
    story: await openExportedModel("public/models/stories260k", "onnx/model.onnx", "models/stories260k"),
    smollm2: await openExportedModel(
      join(folder, "smollm2-135m-instruct"),
      "onnx/model_int8.onnx",
      "HuggingFaceTB/SmolLM2-135M-Instruct",
    ),
  };
  let total = 0;
  for (const [place, recording] of recordings.entries()) {
    const bytes = encodeTraceFile(
      await record(models[recording.model], recording, place),
      leftOutOf(defaultParts),
    );
    total += bytes.length;
    const name = `${String(place + 1).padStart(2, "0")}-${recording.model}-${recording.mods.join("-") || "no-mod"}.trace`;
    writeFileSync(join(corpusFolder, name), bytes);
    console.log(`${name}: ${bytes.length} bytes`);
  }
  await models.story.dispose();
  await models.smollm2.dispose();
  if (total > largestCorpus) throw new Error(`The runs take ${total} bytes, more than ${largestCorpus}.`);
}

await main();
