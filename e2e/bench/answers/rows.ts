/** Asks SmolLM2 each question under its constraint and without one, and adds up the scores. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { smolLm2Weights, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { defaultSampling, type PropertyOrder } from "../../../src/core/sdk/request.ts";
import { type ExportedModel, openExportedModel } from "../../../src/page/examples/testing/exported-model.ts";
import type { RunRequest } from "../../../src/runtime/session/shared/protocol.ts";
import { atLeast, atMost, type BenchRow, figure, missingRows } from "../machine.ts";
import { type AnswerCase, answerCases, type Json } from "./cases.ts";
import { type Score, scoreAnswer } from "./score.ts";

export interface AnswersAsked {
  readonly maxTokens: number;
  /** Names of the cases; null for all. */
  readonly cases: readonly string[] | null;
  /** null: greedy. */
  readonly seeds: readonly (number | null)[];
  readonly order: PropertyOrder;
  /** Holds the answers without constraint from one run to the next; null: none. */
  readonly freeFile: string | null;
}

const TEMPERATURE = 0.8;

export async function answerRows(asked: AnswersAsked): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (!folder) return missingRows("answers of SmolLM2", smolLm2Weights);
  const model = await openExportedModel(folder, "onnx/model_int8.onnx");
  try {
    const scores: Score[] = [];
    for (const each of answerCases) {
      if (asked.cases && !asked.cases.includes(each.name)) continue;
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
  const free = await freeAnswer(model, answerCase, seed, asked);
  const { text, values, isCut } = await constrainedAnswer(model, answerCase, seed, asked);
  const score = scoreAnswer(answerCase, { text, values, isCut }, free);
  console.error(`  ${JSON.stringify({ name: answerCase.name, seed, text, isCut, free, score })}`);
  return score;
}

async function constrainedAnswer(
  model: ExportedModel,
  { question, schema, tools }: AnswerCase,
  seed: number | null,
  { maxTokens, order }: AnswersAsked,
) {
  const shape: Partial<RunRequest> = tools
    ? { tools, toolChoice: "required" }
    : { responseFormat: { type: "json_schema", json_schema: { name: "answer", schema, order } } };
  model.forget();
  const { finished } = await model.run({ ...requestOf(question, seed, maxTokens), ...shape }, []);
  const calls = finished.toolCalls.map((call) => call.function.arguments);
  const texts = tools ? calls : [finished.text];
  const isCut = finished.reason === "length";
  return { text: tools && !isCut ? calls.join("\n") : finished.text, values: texts.flatMap(parsed), isCut };
}

/** The answer without constraint, from the file where it is known. */
async function freeAnswer(
  model: ExportedModel,
  { name, question }: AnswerCase,
  seed: number | null,
  { maxTokens, freeFile }: AnswersAsked,
): Promise<string> {
  const key = JSON.stringify([name, question, seed, maxTokens]);
  const known: Record<string, string> =
    freeFile && existsSync(freeFile) ? JSON.parse(readFileSync(freeFile, "utf8")) : {};
  if (known[key] !== undefined) return known[key];
  model.forget();
  const { finished } = await model.run(requestOf(question, seed, maxTokens), []);
  if (freeFile) writeFileSync(freeFile, JSON.stringify({ ...known, [key]: finished.text }));
  return finished.text;
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
