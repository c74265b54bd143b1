/** The input and the result of `createModel`. */
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { DevicePreference } from "../base/model-reference.ts";
import type { WeightFile } from "../files/weight-file.ts";
import type { GraphBytes } from "../onnx/decoder-graph.ts";

/** Graph and external data are neither changed nor kept, so the caller can make another model of them. */
export interface CreateModelOptions extends GraphBytes<WeightFile> {
  /** The graph of the embeddings, if it is separate; `graph` is then a decoder that reads embeddings. */
  readonly embedTokens?: GraphBytes<WeightFile> | undefined;
  /**
   * Which code computes the passes. Unless given, our own runners, and @huggingface/transformers for graphs that they do not
   * support. Graphs with `embedTokens` run only through @huggingface/transformers.
   */
  readonly implementation?: "own" | "transformers" | undefined;
  /** Rewrites the graph so that its layers can be read and steered. Only our own runners can run such a graph. */
  readonly openLayers?: boolean | undefined;
  /**
   * Awaited when the layers were found, before any weights go to the device. `lensBytes`: the weights that WebGPU holds a
   * second time, for the lens.
   */
  readonly onLayersFound?: ((lensBytes: number) => Promise<void>) | undefined;
  /** The parsed config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly endOfSequence: readonly number[];
  readonly device: DevicePreference;
  /** Name of the graph's file, for messages. */
  readonly file: string;
  /** Threads on WebAssembly; chosen by the machine and the model unless given. */
  readonly threads?: number | undefined;
  readonly signal?: AbortSignal;
  onStage?(stage: "compile" | "check"): void;
}

export interface CreatedModel {
  readonly model: LanguageModel;
  readonly device: "webgpu" | "wasm";
  /** The adapter's own name. */
  readonly adapter: string;
  /** A sentence that says why the model runs on this device. */
  readonly reason: string;
  /**
   * Bytes of the weights that the device holds a second time, for the lens: 0 on WebAssembly; absent if the layers are not
   * open.
   */
  readonly lensBytes?: number;
  /** @huggingface/transformers computes the passes, so the layers cannot be opened. */
  readonly isThroughLibrary?: true;
}
