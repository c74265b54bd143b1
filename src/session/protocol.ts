/** Messages between the page and the engine's worker. Plain data; parsed at the edge. */
import type { Message, ResponseFormat, SamplingSettings, ToolDefinition } from "../sdk/request.ts";
import type { TraceRecord } from "../trace/format.ts";

/** A model as `models.json` lists it, or as made from a hub id, a folder address or a local folder. */
export interface ModelReference {
  /** Shown, recorded and used in the model string. */
  readonly id: string;
  /** Absolute address of the folder that holds config.json; ends in `/`. */
  readonly url: string;
  readonly revision: string | null;
  /** Preferred dtype per device, for example `{ webgpu: "q4", wasm: "fp32" }`. */
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
}

export interface LoadProgress {
  readonly stage: "download" | "compile" | "check";
  /** File being fetched, relative to the folder. */
  readonly file: string;
  readonly loadedBytes: number;
  /** 0 when the server did not say. */
  readonly totalBytes: number;
  readonly fromCache: boolean;
}

/** What was loaded and why it runs where it runs. */
export interface LoadedModel {
  readonly id: string;
  readonly device: "webgpu" | "wasm";
  readonly file: string;
  /** What the device says of itself. */
  readonly adapter: string;
  /** One sentence for the page: why this device and build. */
  readonly reason: string;
  readonly vocabularySize: number;
  readonly capacity: number;
  readonly chatTemplate: boolean;
  readonly bytes: number;
}

export interface RunRequest {
  readonly requestId: string;
  /** A conversation, or plain text for models without a chat template. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly responseFormat?: ResponseFormat | null;
  readonly sampling: SamplingSettings;
  readonly maxTokens: number;
  readonly stop: readonly string[];
  readonly seed: number;
  readonly onModError: "stop" | "continue";
  readonly mods: readonly { readonly name: string; readonly source: string }[];
}

/** Device choice: `auto` takes WebGPU where it computes right, else WebAssembly. */
export type DevicePreference = "auto" | "webgpu" | "wasm";

export type PageMessage =
  | {
      readonly type: "load";
      readonly id: number;
      readonly model: ModelReference;
      readonly device: DevicePreference;
    }
  | { readonly type: "cancelLoad"; readonly id: number }
  | { readonly type: "run"; readonly request: RunRequest; readonly modPorts: readonly MessagePort[] }
  | { readonly type: "stop" | "pause" | "resume" | "stepOnce"; readonly requestId: string }
  | { readonly type: "tokenize"; readonly id: number; readonly messages: readonly Message[] };

export type EngineMessage =
  | { readonly type: "progress"; readonly id: number; readonly progress: LoadProgress }
  | { readonly type: "loaded"; readonly id: number; readonly model: LoadedModel }
  | {
      readonly type: "loadFailed";
      readonly id: number;
      readonly message: string;
      readonly cancelled: boolean;
    }
  | { readonly type: "records"; readonly requestId: string; readonly records: readonly TraceRecord[] }
  | { readonly type: "killMod"; readonly requestId: string; readonly mod: number }
  | {
      readonly type: "tokenized";
      readonly id: number;
      readonly tokens: readonly { readonly token: number; readonly text: string }[];
    }
  | { readonly type: "runFailed"; readonly requestId: string; readonly message: string };
