/** The model to load, the progress of loading, and the result. Plain data. */

/** Device choice: `auto` takes WebGPU where it computes right, else WebAssembly. */
export type DevicePreference = "auto" | "webgpu" | "wasm";

/** A model as `models.json` lists it, or as made from a hub id, a folder address or a local folder. */
export interface ModelReference {
  /** Shown, recorded and used in the model string. */
  readonly id: string;
  /** Absolute address of the folder that holds config.json; ends in `/`. */
  readonly url: string;
  readonly revision: string | null;
  /**
   * The dtype of the weights per device, for example `{ webgpu: "q4", wasm: "fp32" }`. "auto" is resolved when the
   * model is loaded, from the files of the folder and the features of the device.
   */
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
  /**
   * Address of a llama.cpp server that runs the model, without its key. The folder at `url` then has the tokenizer and the chat
   * template of the same model; its weights are not read.
   */
  readonly server?: string;
}

export interface LoadProgress {
  readonly stage: "download" | "compile" | "check";
  /** File being fetched, relative to the folder. */
  readonly file: string;
  readonly loadedBytes: number;
  /** 0 when the server did not say. */
  readonly totalBytes: number;
  /** Whether the whole file was cached. */
  readonly fromCache: boolean;
  /** The part of `loadedBytes` that an earlier download had saved. Absent if downloads are not saved. */
  readonly resumedBytes?: number;
}

/** The loaded model, and the reason for its device. */
export interface LoadedModel {
  readonly id: string;
  /** Where its passes run: on this machine's graphics card, on its processor, or on a server. */
  readonly device: "webgpu" | "wasm" | "server";
  readonly file: string;
  /** The adapter's own name. */
  readonly adapter: string;
  /** One sentence for the page: why this device and build. */
  readonly reason: string;
  readonly vocabularySize: number;
  readonly capacity: number;
  readonly chatTemplate: boolean;
  /** Whether the model thinks before it answers: as the request asks, or always. Null if nothing says so. */
  readonly thinking: "switchable" | "always" | null;
  readonly bytes: number;
  /** A prompt of more bytes does not fit the model's context, however it is tokenized; absent when no such number is known. */
  readonly promptBytes?: number;
  /** Requests that the model answers side by side; one at a time unless given. */
  readonly conversations?: number;
}
