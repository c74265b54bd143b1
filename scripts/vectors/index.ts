/**
 * The library of vectors, made on SmolLM2 135M Instruct (`MIDTOKEN_MODELS`) on WebAssembly:
 *   npx tsx scripts/vectors make [NAME …]   makes vectors of the lists in src/core/vectors/library, counts what they do, writes made.ts
 *   npx tsx scripts/vectors show NAME       says how well each layer tells the lists apart, and writes answers at several scales
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Steering } from "../../src/core/sdk/action.ts";
import { steeringVector, steeringVectorText } from "../../src/core/sdk/steering-vector.ts";
import type { HandwrittenExample } from "../../src/core/vectors/library/example.ts";
import { handwrittenExamples } from "../../src/core/vectors/library/index.ts";
import { type LibraryVector, libraryVectors } from "../../src/core/vectors/library/made.ts";
import {
  chooseLayer,
  differenceVector,
  judgeLayers,
  type LayerJudgement,
} from "../../src/core/vectors/make-vector.ts";
import { readTexts } from "../../src/core/vectors/text-states.ts";
import { roundVectorEffect, vectorEffectMeasures } from "./effects.ts";
import { type InstructModel, instructModelId, loadInstructModel } from "./instruct-model.ts";
import { neutralPrompts } from "./neutral-prompts.ts";

/** Number of questions, and of tokens of each answer, by which effects are counted. */
const promptsCounted = 10;
const tokensCounted = 28;

/** Answers without steering, the same for every vector. */
let plain: Promise<string[]> | null = null;

const { positionals } = parseArgs({ allowPositionals: true });
const [command, ...names] = positionals;
const unknown = names.filter((name) => !handwrittenExamples.some((each) => each.name === name));
if ((command !== "make" && command !== "show") || unknown.length > 0) {
  const known = handwrittenExamples.map(({ name }) => name).join(", ");
  console.error(
    `Usage: npx tsx scripts/vectors make|show [NAME …], of ${known}.${unknown.length > 0 ? ` There is no ${unknown.join(", ")}.` : ""}`,
  );
  process.exit(2);
}
const model = await loadInstructModel();
if (!model) {
  console.error("Set MIDTOKEN_MODELS to a folder that has smollm2-135m-instruct.");
  process.exit(2);
}
const wanted = handwrittenExamples.filter(({ name }) => names.length === 0 || names.includes(name));
const made: Record<string, LibraryVector> = { ...libraryVectors };
for (const example of wanted) {
  const { vector, judgements } = await makeVector(model, example);
  made[example.name] = { vector, effect: await effectOf(model, example.name, vector.text) };
  if (command === "show") for (const each of judgements) console.log(judgementLine(each));
  // Saved after each vector, since all of them take half an hour.
  else writeFileSync("src/core/vectors/library/made.ts", fileOf(made));
}
await model.dispose();

async function makeVector(model: InstructModel, { name, texts, layer: given }: HandwrittenExample) {
  const states = await readTexts(texts, model.read);
  const judgements = judgeLayers(states);
  const chosen = chooseLayer(judgements);
  const layer = given ?? chosen;
  const judgement = judgements[layer] as LayerJudgement;
  console.log(`${name}: layer ${layer} (chosen: ${chosen}), ${judgementLine(judgement)}`);
  const text = steeringVectorText({ layer, vector: differenceVector(states, judgement), name });
  const { layerCount, hiddenSize } = states;
  const { share } = judgement;
  const stream = Number(judgement.stream.toPrecision(4));
  const about = { id: instructModelId, layerCount, hiddenSize };
  return { judgements, vector: { text, model: about, share, stream } };
}

/** The effect of the vector as mods get it: read back from its text form. */
async function effectOf(model: InstructModel, name: string, text: string) {
  const effect = vectorEffectMeasures[name];
  if (!effect)
    throw new Error(`Nothing is said of what to count for ${name}: add it to scripts/vectors/effects.ts.`);
  const { layer, vector } = steeringVector(text);
  const values: number[] = [];
  for (const scale of effect.scales) {
    const answers =
      scale === 0 ? await plainAnswers(model) : await answersOf(model, [{ layer, vector, scale }]);
    values.push(effect.count(answers));
    console.log(`${name} times ${scale}: ${effect.counted}: ${values.at(-1)?.toFixed(2)}`);
    for (const answer of answers.slice(0, command === "show" ? answers.length : 4))
      console.log(`    ${JSON.stringify(answer)}`);
  }
  return roundVectorEffect(effect, values);
}

function plainAnswers(model: InstructModel): Promise<string[]> {
  plain ??= answersOf(model, []);
  return plain;
}

async function answersOf(model: InstructModel, vectors: readonly Steering[]): Promise<string[]> {
  const answers: string[] = [];
  for (const prompt of neutralPrompts.slice(0, promptsCounted))
    answers.push(await model.answer(prompt, vectors, tokensCounted));
  return answers;
}

function judgementLine({ layer, share, area, distance, difference, stream }: LayerJudgement): string {
  return `${layer}: share ${share.toFixed(2)}, area ${area.toFixed(3)}, distance ${distance.toFixed(1)}, means ${(difference / stream).toFixed(2)} of ${stream.toFixed(0)} apart`;
}

function fileOf(all: Readonly<Record<string, LibraryVector>>): string {
  const entries = handwrittenExamples.flatMap(({ name }) => (all[name] ? [[name, all[name]] as const] : []));
  return `/** Written by \`npx tsx scripts/vectors make\`. */
import type { KnownVector } from "../known-vector.ts";
import type { MeasuredEffect } from "./example.ts";

export interface LibraryVector {
  readonly vector: Omit<KnownVector, "texts">;
  readonly effect: MeasuredEffect;
}

export const libraryVectors: Readonly<Record<string, LibraryVector>> = ${JSON.stringify(Object.fromEntries(entries), null, 2)};
`;
}
