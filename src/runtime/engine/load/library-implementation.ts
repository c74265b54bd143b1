/** Runs models through @huggingface/transformers, and says in words what that costs. */
import { messageOf } from "../../../core/base/message-of.ts";
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { RunnerOptions } from "../graph/graph-runner.ts";
import { UnsupportedGraphError } from "../onnx/decoder-graph.ts";
import { loadTransformersLibrary } from "../transformers/library.ts";
import { createTransformersRunner, type LibraryGraph } from "../transformers/transformers-runner.ts";
import { createWasmTensorRuntime } from "../transformers/wasm-tensors.ts";
import { createWebGpuTensorRuntime } from "../transformers/webgpu-tensors.ts";
import type { CreatedModel } from "./created-model.ts";
import type { RunnerImplementation } from "./implementation.ts";

export const transformersImplementation: RunnerImplementation = {
  // Rejected draft tokens are removed again, and with the library each removal copies the cache.
  hasKnownPassCost: false,
  async onWasm(options) {
    return createTransformersRunner(
      { ...options, graphs: graphsOf(options) },
      await createWasmTensorRuntime(options.threads),
    );
  },
  async onWebGpu(options, device) {
    const tensors = await createWebGpuTensorRuntime(device);
    return createTransformersRunner({ ...options, graphs: graphsOf(options) }, tensors);
  },
};

function graphsOf<File>({
  graph,
  externalData,
  embedTokens,
  summary,
}: RunnerOptions<File>): LibraryGraph<File>[] {
  const decoder = { graph, externalData, rotaryNodes: summary.rotaryNodes };
  if (!embedTokens) return [{ name: "model", ...decoder }];
  return [
    { name: "embed_tokens", ...embedTokens },
    { name: "decoder_model_merged", ...decoder },
  ];
}

/**
 * Measures how long a token takes, and adds to the model's `reason` that the library computes it, why, and this time. Adds the
 * library's version to `adapter`. Leaves the context empty.
 * @param why the reason, without a capital and without a full stop
 */
export async function addCostToReason(created: CreatedModel, why: string): Promise<CreatedModel> {
  const { version } = await loadTransformersLibrary();
  const library = `@huggingface/transformers ${version}`;
  const time = (await tokenMs(created.model)).toPrecision(2);
  return {
    ...created,
    adapter: `${created.adapter}, ${library}`,
    reason: `${created.reason} The model's forward passes run through ${library}, because ${why}. A token takes about ${time} ms, and each backtrack copies the KV cache or reads part of the text again.`,
  };
}

/** Mean milliseconds for a token, without the first few. Leaves the context empty. */
async function tokenMs(model: LanguageModel): Promise<number> {
  const timed = 4;
  model.truncate(0);
  await model.forward([0, 0, 0, 0]);
  await model.forward([0]);
  const started = performance.now();
  for (let i = 0; i < timed; i++) await model.forward([0]);
  const ms = (performance.now() - started) / timed;
  model.truncate(0);
  return ms;
}

/** The reason why our own runners refuse a graph: their error without its advice, as a part of a sentence. */
export function refusalInShort(refusal: UnsupportedGraphError): string {
  return refusal.message.replace(/\. [A-Z][^.]*\.?$/, "").replace(/\.$/, "");
}

/** The error for a graph that neither our runners nor the library can run. */
export function refusedByBothError(refusal: UnsupportedGraphError, cause: unknown): Error {
  const message = `${refusal.message} The model does not run through @huggingface/transformers either: ${messageOf(cause)}`;
  return cause instanceof UnsupportedGraphError
    ? new UnsupportedGraphError(message, { cause })
    : new Error(message, { cause });
}
