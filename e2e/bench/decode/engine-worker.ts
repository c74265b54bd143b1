/** The parts of the decode bench that measure our engine alone, in a thread of its own as in the page. */
import { largestDifference } from "../../../src/core/decoder/ports/language-model.compare.ts";
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import type { Message } from "../../../src/core/sdk/request.ts";
import { DecoderModel } from "../../../src/runtime/engine/graph/decoder-model.ts";
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { firstTokenDifference } from "../../../src/runtime/engine/testing/greedy.ts";
import { fetchBytes, fetchJson } from "./bare.ts";
import { measureAccuracy } from "./measure-accuracy.ts";
import { openBundle, runRequest, tokensOf } from "./ours.ts";
import { passCosts } from "./pass-cost.ts";
import type { Subject } from "./rival.ts";
import { runGraph } from "./run-graph.ts";
import { forcedSpan } from "./spans.ts";
import { answerCalls } from "./worker-calls.ts";

/** One conversation of a model's expected.json. */
export interface ExpectedCase {
  readonly messages: readonly Message[];
  readonly prompt: readonly number[];
  readonly greedy: readonly number[];
  readonly text: string;
}

interface CaseResult {
  readonly text: string;
  /** Prompt, tokens and text as expected. */
  readonly isExact: boolean;
  /** The first token that differs, and by how much the model prefers its own. */
  readonly difference: { readonly at: number; readonly gap: number } | null;
}

/** Every conversation through the whole loop. */
async function answers(subject: Subject, cases: readonly ExpectedCase[]): Promise<CaseResult[]> {
  const bundle = await openBundle(subject, "wasm");
  const found: CaseResult[] = [];
  for (const { messages, prompt, greedy, text } of cases) {
    const outcome = await runRequest(bundle, { messages, maxTokens: greedy.length });
    const isExact =
      String(bundle.formatPrompt(messages)) === String(prompt) &&
      String(tokensOf(outcome)) === String(greedy) &&
      outcome.finished.text === text;
    const difference = isExact ? null : await firstTokenDifference(bundle.model, prompt, greedy);
    found.push({ text, isExact, difference });
  }
  await bundle.model.dispose();
  return found;
}

interface LongPass {
  /** Largest difference of any logit of any row. */
  readonly difference: number;
  /** Largest less smallest logit on WebAssembly. */
  readonly spread: number;
  readonly rows: number;
  /** Most tokens that the WebGPU model computes in one pass. */
  readonly passTokens: number;
  readonly reason: string;
}

/** `prompt` in one pass, on WebGPU and on WebAssembly. @param folder ends in `/`. */
async function longPass(folder: string, file: string, prompt: readonly number[]): Promise<LongPass> {
  const files = {
    graph: await fetchBytes(folder + file),
    externalData: new Map<string, Uint8Array>(),
    config: await fetchJson(`${folder}config.json`),
    endOfSequence: [],
    file,
  };
  const gpu = await createModel({ ...files, device: "webgpu" });
  const wasm = await createModel({ ...files, device: "wasm" });
  const expected = await wasm.model.forward(prompt, prompt.length);
  const given = await gpu.model.forward(prompt, prompt.length);
  if (given.length !== expected.length)
    throw new Error(`${folder}${file}: ${given.length} logits on WebGPU.`);
  const difference = largestDifference(given, expected);
  const spread = expected.reduce((a, b) => Math.max(a, b)) - expected.reduce((a, b) => Math.min(a, b));
  const rows = expected.length / wasm.model.vocabularySize;
  const passTokens = passTokensOf(gpu.model);
  await Promise.all([gpu.model.dispose(), wasm.model.dispose()]);
  return { difference, spread, rows, passTokens, reason: gpu.reason };
}

function passTokensOf(model: LanguageModel): number {
  if (!(model instanceof DecoderModel)) throw new Error("This model does not say how long its passes are.");
  return model.passTokens;
}

const engineFunctions = {
  answers,
  longPass,
  measureAccuracy,
  forcedSpan,
  runGraph,
  passCosts,
};
export type EngineFunctions = typeof engineFunctions;
answerCalls(engineFunctions);
