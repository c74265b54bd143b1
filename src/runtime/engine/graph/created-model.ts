/** The input and the result of making a model. */
import type { LanguageModel } from "../../../core/decoder/ports/language-model.ts";
import type { DevicePreference } from "../base/model-reference.ts";
import type { WeightFile } from "../files/weight-file.ts";
import type { GraphBytes } from "./graph-runner.ts";

/** Neither the graph nor the external data is changed or kept: the same bytes make a model again. */
export interface CreateModelOptions extends GraphBytes<WeightFile> {
  /** The graph of the embeddings, where it is one of its own: `graph` is then the decoder that takes them. */
  readonly embedTokens?: GraphBytes<WeightFile> | undefined;
  /** Who computes the passes. Unless given, our own runners, and @huggingface/transformers for graphs that they do not know. */
  readonly implementation?: "own" | "transformers" | undefined;
  /** Rewrites the graph so that its layers can be read and steered. Only our own runners can run such a graph. */
  readonly openLayers?: boolean | undefined;
  /**
   * Awaited once its layers are known to open, before anything of it is handed to the device. `lensBytes`: of the weights that are
   * held a second time, for the lens, where it runs on WebGPU.
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
  /** Bytes of the weights that it holds a second time, for the lens: 0 on WebAssembly; absent if its layers are not open. */
  readonly lensBytes?: number;
  /** @huggingface/transformers computes its passes: its layers cannot be opened. */
  readonly isThroughLibrary?: true;
}
