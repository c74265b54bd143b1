/** Loading a model: the options, the callbacks and the result. */
import type { ToolFormat } from "../../../core/tools/format.ts";
import type { LoadProgress, LoadedModel as ModelInfo } from "../../engine/base/model-reference.ts";

export interface LoadOptions {
  /** Called once, when the worker begins this load: a load waits for the requests and loads before it. */
  onStart?(): void;
  onProgress(progress: LoadProgress): void;
  readonly signal: AbortSignal;
  /** Files that the user picked, by their path in the model's folder; they replace the files at the model's address. */
  readonly files?: ReadonlyMap<string, Blob> | undefined;
  /** Opens its layers at once, instead of when a request first has a mod that reads or steers them. */
  readonly openLayers?: boolean | undefined;
}

/** A model is loaded anew so that its layers can be read and steered. */
export interface LayersOpening {
  /** Its id. */
  readonly model: string;
  /** As when it was loaded first; null before anything is known. Its files come from where they are kept, where they are. */
  readonly progress: LoadProgress | null;
}

/** A model that requests can use. */
export interface LoadedModel extends ModelInfo {
  readonly toolCalls: {
    /** How the model writes tool calls. */
    readonly format: ToolFormat["name"];
    /** Special tokens that mark calls, by id. The text of an output leaves them out. */
    readonly markers: Readonly<Record<number, string>>;
  };
}
