/** One of the exporters' graphs on a device, as a user's request would have it: what it answers, or why it does not run. */
import { createModel } from "../../../src/runtime/engine/load/create-model.ts";
import { UnsupportedGraphError } from "../../../src/runtime/engine/onnx/decoder-graph.ts";
import { generateGreedily } from "../../../src/runtime/engine/testing/greedy.ts";
import type { GraphAddress } from "../../webgpu/graph-files.ts";
import { fetchBytes, fetchJson } from "./bare.ts";

export interface GraphAnswer {
  readonly tokens: readonly number[];
  /** The log-sum-exp of the logits at the end of the prompt. */
  readonly logSumExp: number;
  /** How it runs, in words. */
  readonly reason: string;
}

export interface RunGraphOptions {
  readonly device: "wasm" | "webgpu";
  /** Who computes; chosen as for a user's request unless given. */
  readonly implementation?: "own" | "transformers" | undefined;
  readonly prompt: readonly number[];
  readonly count: number;
}

/** `count` tokens after `prompt`; a text is why the graph is refused. @throws any other error. */
export async function runGraph(
  { folder, file, externalData }: GraphAddress,
  { device, implementation, prompt, count }: RunGraphOptions,
): Promise<GraphAnswer | string> {
  const data = `${file}_data`;
  const weights = externalData ? [[data.replace(/.*\//, ""), await fetchBytes(folder + data)] as const] : [];
  try {
    const { model, reason } = await createModel({
      graph: await fetchBytes(folder + file),
      externalData: new Map(weights),
      config: await fetchJson(`${folder}config.json`),
      endOfSequence: [],
      file,
      device,
      implementation,
    });
    const logits = await model.forward(prompt);
    const largest = logits.reduce((a, b) => Math.max(a, b));
    const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
    const tokens = await generateGreedily(model, prompt, count);
    await model.dispose();
    return { tokens, logSumExp: largest + Math.log(sum), reason };
  } catch (error) {
    if (error instanceof UnsupportedGraphError) return error.message;
    throw error;
  }
}
