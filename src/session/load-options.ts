/** What loading a model is given and tells. */
import type { LoadProgress } from "./protocol.ts";

export interface LoadOptions {
  /** Called once, when the worker begins this load: a load waits for the requests and loads before it. */
  onStart?(): void;
  onProgress(progress: LoadProgress): void;
  readonly signal: AbortSignal;
  /** Files that the user picked, in place of what lies at the model's address; by their path in the model's folder. */
  readonly files?: ReadonlyMap<string, Blob> | undefined;
}
