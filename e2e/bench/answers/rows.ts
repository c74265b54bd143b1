/** Asks SmolLM2 each question under its constraint and without one, and adds up the scores. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { defaultSampling, type PropertyOrder } from "../../../src/core/sdk/request.ts";
import { type ExportedModel, openExportedModel } from "../../../src/page/examples/testing/exported-model.ts";
import { inProcessMod } from "../../../src/page/examples/testing/in-process-mod.ts";
import type { RunRequest } from "../../../src/runtime/session/shared/requests.ts";
import { atLeast, atMost, type BenchRow, figure, missingRows } from "../machine.ts";
import { type AnswerCase, answerCases, type Json } from "./cases.ts";
import { type Score, scoreAnswer } from "./score.ts";
import { type Variant, variantMod } from "./variant-mod.ts";

export interface AnswersAsked {
  readonly maxTokens: number;
  /** Names of the cases; null for all. */
  readonly cases: readonly string[] | null;
  /** Questions for each schema. */
  readonly questions: number;
  /** null: greedy. */
  readonly seeds: readonly (number | null)[];
  readonly order: PropertyOrder;
  /** null: as a request has it. */
  readonly variant: Variant | null;
  /** Holds the answers from one run to the next; null: none. */
  readonly doneFile: string | null;
}

const TEMPERATURE = 0.8;

export async function answerRows(asked: AnswersAsked): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (!folder) return missingRows("answers of SmolLM2", smolLm2SetupHint);
  const model = await openExportedModel(folder, "onnx/model_int8.onnx");
  try {
    const scores: Score[] = [];
    for (const each of answerCases(asked.questions)) {
      if (asked.cases && !asked.cases.includes(each.name)) continue;
      if (asked.variant && each.tools) continue;
      for (const seed of asked.seeds) scores.push(await scoreCase(model, each, seed, asked));
    }
    return rowsOf(scores, asked.seeds.includes(null) ? "greedy" : `${asked.seeds.length} seeds`);
  } finally {
    await model.dispose();
  }
}

function rowsOf(scores: readonly Score[], what: string): BenchRow[] {
  const sum = (count: (score: Score) => number) => scores.reduce((total, score) => total + count(score), 0);
  const of = scores.length;
  const known = sum((score) => score.known);
  const fields = sum((score) => score.fields);
  return [
    atLeast(
      `${what}: valid and ended, of ${of} answers`,
      sum((score) => Number(score.isValid)),
      "",
      of,
    ),
    atMost(
      `${what}: property names that the schema does not declare`,
      sum((score) => score.wrongNames),
      "",
      0,
    ),
    atMost(
      `${what}: endless values`,
      sum((score) => score.endlessValues),
      "",
      0,
    ),
    figure(
      `${what}: repetitions`,
      sum((score) => score.repetitions),
      "",
    ),
    figure(
      `${what}: right values kept, of ${known} in the answers without constraint`,
      sum((score) => score.kept),
      "",
    ),
    figure(
      `${what}: right values, of ${fields}`,
      sum((score) => score.right),
      "",
    ),
  ];
}

async function scoreCase(
  model: ExportedModel,
  answerCase: AnswerCase,
  seed: number | null,
  asked: AnswersAsked,
): Promise<Score> {
  const { name, question } = answerCase;
  const { maxTokens, order, variant, doneFile } = asked;
  const answerOf = (constraint: unknown, answer: () => Promise<Answer>) =>
    onceIn(doneFile, JSON.stringify([name, question, seed, maxTokens, constraint]), answer);
  const free = await answerOf(null, () => freeAnswer(model, question, seed, maxTokens));
  const given = await answerOf([order, variant], () => constrainedAnswer(model, answerCase, seed, asked));
  const score = scoreAnswer(answerCase, { ...given, values: given.texts.flatMap(parsed) }, free.text);
  console.error(`  ${JSON.stringify({ name, seed, ...given, free: free.text, score })}`);
  return score;
}

interface Answer {
  readonly text: string;
  /** The JSON texts in the answer: the answer itself, or the arguments of the calls. */
  readonly texts: readonly string[];
  readonly isCut: boolean;
}

async function constrainedAnswer(
  model: ExportedModel,
  { question, schema, tools }: AnswerCase,
  seed: number | null,
  { maxTokens, order, variant }: AnswersAsked,
): Promise<Answer> {
  const shape: Partial<RunRequest> = tools
    ? { tools, toolChoice: "required" }
    : { responseFormat: { type: "json_schema", json_schema: { name: "answer", schema, order } } };
  model.forget();
  const mod = variant && inProcessMod(variantMod(schema, variant), model.tokenizer);
  const request = requestOf(question, seed, maxTokens);
  const { finished } = await (mod
    ? model.run({ ...request, mods: [{ name: mod.name, source: "" }] }, [mod])
    : model.run({ ...request, ...shape }, []));
  const calls = finished.toolCalls.map((call) => call.function.arguments);
  const isCut = finished.reason === "length";
  return {
    text: tools && !isCut ? calls.join("\n") : finished.text,
    texts: tools ? calls : [finished.text],
    isCut,
  };
}

async function freeAnswer(
  model: ExportedModel,
  question: string,
  seed: number | null,
  maxTokens: number,
): Promise<Answer> {
  model.forget();
  const { finished } = await model.run(requestOf(question, seed, maxTokens), []);
  return { text: finished.text, texts: [], isCut: finished.reason === "length" };
}

/** The answer from the file, or the new answer, which is then put into the file. */
async function onceIn(file: string | null, key: string, answer: () => Promise<Answer>): Promise<Answer> {
  const done: Record<string, Answer> = file && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const known = done[key];
  if (known) return known;
  const made = await answer();
  if (file) writeFileSync(file, JSON.stringify({ ...done, [key]: made }));
  return made;
}

function requestOf(question: string, seed: number | null, maxTokens: number): RunRequest {
  return {
    requestId: "answer",
    messages: [{ role: "user", content: question }],
    tools: [],
    responseFormat: null,
    maxTokens,
    seed: seed ?? 1,
    stop: [],
    onModError: "stop",
    sampling: { ...defaultSampling, temperature: seed === null ? 0 : TEMPERATURE },
    mods: [],
  };
}

function parsed(text: string): Json[] {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    return [];
  }
}
