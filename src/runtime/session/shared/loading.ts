/** Loading a model: the options, the callbacks and the result. */
import type { ToolFormat } from "../../../core/tools/format.ts";
import type { LoadProgress, ModelInfo } from "../../engine/base/model-reference.ts";

export interface LoadOptions {
  /** Called once, when the worker begins this load. Earlier requests and loads have then ended. */
  onStart?(): void;
  onProgress(progress: LoadProgress): void;
  readonly signal: AbortSignal;
  /** Files that the user picked, by their path in the model's folder; they replace the files at the model's address. */
  readonly files?: ReadonlyMap<string, Blob> | undefined;
  /** Whether the layers are opened at once. By default they are opened when a request first has a mod that reads or steers them. */
  readonly openLayers?: boolean | undefined;
}

/** The progress of loading a model again to open its layers. */
export interface LayersOpening {
  /** The model's id. */
  readonly model: string;
  /** Like the progress of the first load; null at the beginning. Cached files are read from the cache. */
  readonly progress: LoadProgress | null;
}

/** A model that requests can use. */
export interface LoadedModel extends ModelInfo {
  readonly toolCalls: {
    /** The format of the model's tool calls. */
    readonly format: ToolFormat["name"];
    /** Special tokens that mark calls, by id. The text of an output leaves them out. */
    readonly markers: Readonly<Record<number, string>>;
  };
}
