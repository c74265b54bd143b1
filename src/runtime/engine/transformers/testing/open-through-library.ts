import type { LanguageModel } from "../../../../core/decoder/ports/language-model.ts";
import { createDecoderModel } from "../../graph/decoder-model.ts";
import { createTransformersRunner } from "../transformers-runner.ts";
import { createWasmTensorRuntime } from "../wasm-tensors.ts";

export interface WholeGraph {
  readonly graph: Uint8Array;
  readonly externalData: ReadonlyMap<string, Uint8Array>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly file: string;
}

/** Opens a graph through @huggingface/transformers on WebAssembly. A short context: filling it takes a few passes. */
export async function openThroughLibrary(
  { graph, externalData, config, file }: WholeGraph,
  contextLength = 200,
): Promise<LanguageModel> {
  const graphs = [{ name: "model", graph, externalData }];
  const options = { graphs, config: { ...config, max_position_embeddings: contextLength }, file };
  const runner = await createTransformersRunner(options, await createWasmTensorRuntime());
  return createDecoderModel(runner, { endOfSequence: [2] });
}
