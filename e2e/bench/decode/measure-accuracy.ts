/** How well a model in 4 bits predicts a text, in the worker of the decode bench. */
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { encodeModel, parseModel } from "../../../src/runtime/engine/onnx/codec.ts";
import {
  type EightBitProducts,
  roundActivations,
} from "../../../src/runtime/engine/onnx/testing/eight-bit-activations.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import { fetchBytes, fetchJson } from "./bare.ts";

export interface AccuracyOptions {
  readonly device: "wasm" | "webgpu";
  /** `accuracy_level` of every product; 4 lets WebGPU round activations to 8 bits. */
  readonly level: 0 | 4;
  /** Products whose activations the graph itself rounds to 8 bits, on any device; none unless given. */
  readonly eightBits?: EightBitProducts;
  readonly text: readonly number[];
  readonly cases: readonly { readonly prompt: readonly number[]; readonly greedy: readonly number[] }[];
}

export interface Accuracy {
  /** Sum of the negative log-probabilities (natural logarithm) that the model gave the text's tokens. */
  readonly loss: number;
  /** Number of the text's tokens. */
  readonly tokens: number;
  /** Number of tokens of the reference answers that the model also finds most likely. */
  readonly agreeing: number;
  /** Number of reference answers in which all tokens agree. */
  readonly answers: number;
  /** Median milliseconds of a step of one token. */
  readonly stepMs: number;
  readonly reason: string;
}

/** Tokens of a pass; all of its rows are read. */
const passTokens = 64;
const timedSteps = 9;

/** @param folder ends in `/`. */
export async function measureAccuracy(
  folder: string,
  file: string,
  { device, level, eightBits, text, cases }: AccuracyOptions,
): Promise<Accuracy> {
  const data = `${file}_data`;
  const { model, reason } = await createModel({
    graph: rewritten(await fetchBytes(folder + file), level, eightBits),
    externalData: new Map([[data.replace(/.*\//, ""), await fetchBytes(folder + data)]]),
    config: await fetchJson(`${folder}config.json`),
    endOfSequence: [],
    file,
    device,
  });
  const size = model.vocabularySize;
  let loss = 0;
  for (let start = 0; start < text.length - 1; start += passTokens) {
    const pass = text.slice(start, Math.min(start + passTokens, text.length - 1));
    const rows = await model.forward(pass, pass.length);
    for (const [i] of pass.entries())
      loss += lossOf(rows.subarray(i * size, (i + 1) * size), text[start + i + 1] as number);
  }
  let [agreeing, answers] = [0, 0];
  for (const { prompt, greedy } of cases) {
    model.truncate(0);
    const rows = await model.forward([...prompt, ...greedy.slice(0, -1)], greedy.length);
    const same = greedy.filter((token, i) => bestToken(rows.subarray(i * size, (i + 1) * size)) === token);
    agreeing += same.length;
    if (same.length === greedy.length) answers += 1;
  }
  const times: number[] = [];
  for (let i = 0; i < timedSteps; i++) {
    const start = performance.now();
    await model.forward([text[i] as number]);
    times.push(performance.now() - start);
  }
  await model.dispose();
  const stepMs = times.sort((a, b) => a - b)[timedSteps >> 1] as number;
  return { loss, tokens: text.length - 1, agreeing, answers, stepMs, reason };
}

function lossOf(logits: Float32Array, token: number): number {
  const largest = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
  return largest + Math.log(sum) - (logits[token] as number);
}

function rewritten(bytes: Uint8Array, level: 0 | 4, eightBits: EightBitProducts | undefined): Uint8Array {
  const model = parseModel(bytes);
  for (const node of model.graph?.node ?? []) {
    if (node.operator !== "MatMulNBits") continue;
    const others = node.attribute.filter(({ name }) => name !== "accuracy_level");
    const empty = { floats: [], ints: [], strings: [], tensors: [], graphs: [] };
    node.attribute = [...others, { ...empty, name: "accuracy_level", i: BigInt(level), type: 2 }];
  }
  if (eightBits) roundActivations(model, eightBits);
  return encodeModel(model);
}
