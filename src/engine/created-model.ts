/** What a model is made from, and what comes of it. */
import type { LanguageModel } from "../decoder/language-model.ts";
import type { DevicePreference } from "./model-reference.ts";

export interface CreateModelOptions {
  /** The `.onnx` file. Neither it nor the external data is changed or kept: the same bytes make a model again. */
  readonly graph: Uint8Array;
  /** By the names that the graph calls them. */
  readonly externalData: ReadonlyMap<string, Uint8Array>;
  /** config.json */
  readonly config: Readonly<Record<string, unknown>>;
  readonly endOfSequence: readonly number[];
  readonly device: DevicePreference;
  /** For messages. */
  readonly file: string;
  readonly signal?: AbortSignal;
  onStage?(stage: "compile" | "check"): void;
}

export interface CreatedModel {
  readonly model: LanguageModel;
  readonly device: "webgpu" | "wasm";
  /** What the device says of itself. */
  readonly adapter: string;
  /** One sentence: why this device. */
  readonly reason: string;
}
