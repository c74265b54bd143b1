/** The model to load, the progress of loading, and the result. Plain data. */

/** `auto`: WebGPU if it computes correctly, else WebAssembly. */
export type DevicePreference = "auto" | "webgpu" | "wasm";

/** A model from `models.json`, or one that was made from a hub id, a folder address or a local folder. */
export interface ModelReference {
  /** The name that the page shows, traces record and the model string contains. */
  readonly id: string;
  /** Absolute address of the folder that holds config.json; ends in `/`. */
  readonly url: string;
  readonly revision: string | null;
  /**
   * The dtype of the weights per device, for example `{ webgpu: "q4", wasm: "fp32" }`. "auto" is resolved when the
   * model is loaded, from the files of the folder and the features of the device.
   */
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
  /** Address of a llama.cpp, vLLM or SGLang server that runs the model, without its key. The folder at `url` then has the tokenizer and the chat template of the same model; its weights are not read. */
  readonly server?: string;
}

export interface LoadProgress {
  readonly stage: "download" | "compile" | "check";
  /** The file that is being fetched, relative to the folder. */
  readonly file: string;
  readonly loadedBytes: number;
  /** 0 if the server did not say the size. */
  readonly totalBytes: number;
  /** Whether the whole file was cached. */
  readonly fromCache: boolean;
  /** The part of `loadedBytes` that an earlier download had saved. Absent if downloads are not saved. */
  readonly resumedBytes?: number;
}

/**
 * The description of a loaded model for the page and the trace, and the reason for its device. Plain data, without the model
 * itself.
 */
export interface ModelInfo {
  readonly id: string;
  /** Where the model's passes run: on this machine's graphics card, on its processor, or on a server. */
  readonly device: "webgpu" | "wasm" | "server";
  readonly file: string;
  /** The adapter's own name. */
  readonly adapter: string;
  /** One sentence for the page: why this device and build. */
  readonly reason: string;
  readonly vocabularySize: number;
  readonly capacity: number;
  readonly chatTemplate: boolean;
  /** Whether the model thinks before it answers: always, or if the request asks for it. Null if nothing shows that it does. */
  readonly thinking: "switchable" | "always" | null;
  readonly bytes: number;
  /** A prompt of more bytes never fits the model's context, however it is tokenized. Absent if no such number is known. */
  readonly promptBytes?: number;
  /** How many requests the model answers at the same time; 1 unless given. */
  readonly conversations?: number;
}
