/** The functions that a session offers to the page. */

import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { LayersQuery } from "../../../core/decoder/activations/layers-query.ts";
import type { Mod } from "../../../core/sdk/mod.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import type { CompileProblem } from "../../sandbox/compiled-mod.ts";
import type { Breakpoint, Pause } from "../shared/breakpoint.ts";
import type { LayersOpening, LoadedModel, LoadOptions } from "../shared/loading.ts";
import type { EngineMemory } from "../shared/memory-budget.ts";
import type { DevicePreference, ModelReference, Verification } from "../shared/protocol.ts";
import type { PromptRequest, PromptToken, RunRequest, VerifyRequest } from "../shared/requests.ts";
import type { LayersReadingWithTexts, ReadLayersOptions } from "./layers.ts";

/** A request that the session has accepted. */
export interface RunHandle {
  /**
   * Settles after the last record. Rejects with an AbortError when the request was stopped before it began, and with a
   * readable Error when it could not start or the engine broke.
   */
  readonly done: Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Resumes for one token, or to the end of the current step if the request is paused in the middle of a step; then pauses again. */
  stepOnce(): void;
  /** Resumes until the next event or the next reply of a mod, then pauses again. */
  stepEvent(): void;
  /** Replaces the breakpoints at which the request pauses by itself. */
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
}

/** The engine runs requests in the order in which it receives them. It receives a request once the request's sandboxes are ready. */
export interface RunOptions {
  /** The engine receives the request only after this promise has settled. */
  readonly after?: Promise<void>;
  /** Mods of the page's own code, by their index in the request's mods. Each runs in the session's thread instead of a sandbox. The source at that index is only recorded in the trace. */
  readonly trusted?: ReadonlyMap<number, Mod | (() => Readonly<Record<string, unknown>>)>;
  /** Called when the engine has received the request. */
  onPosted?(): void;
  /** The request paused: by `pause`, after a single step, or at a breakpoint. All events up to the pause point have arrived. */
  onPaused?(pause: Pause): void;
  /**
   * The engine reloads the model with its layers opened, because the request's mods read or steer layers. Null: the layers
   * are open, or cannot be opened. Not called if the layers are open already.
   */
  onOpening?(opening: LayersOpening | null): void;
  /** The share of past events that the mods of a branch have caught up with, from 0 to 1. Not called once the branch's events arrive. */
  onCaughtUp?(share: number): void;
}

/** A loaded model with mods, over many requests. */
export interface Session {
  /** Replaces the model, once the requests before it have ended. Rejects with an AbortError as soon as it is cancelled, else with a readable Error. */
  loadModel(model: ModelReference, device: DevicePreference, options: LoadOptions): Promise<LoadedModel>;
  /** Runs a request. Loads the last model again first if it is no longer loaded. */
  run(
    request: RunRequest,
    onRecords: (records: readonly TraceRecord[]) => void,
    options?: RunOptions,
  ): RunHandle;
  /** Runs the mods again on a recorded request, in fresh sandboxes and without a model. Rejects with an AbortError as soon as `signal` aborts, else with a readable Error. */
  verify(request: VerifyRequest, signal?: AbortSignal): Promise<Verification>;
  /** The prompt as the model sees it. Does not wait for requests. Rejects with an AbortError as soon as `signal` aborts. */
  tokenizePrompt(prompt: PromptRequest, signal?: AbortSignal): Promise<readonly PromptToken[]>;
  /**
   * Reads the activations of the model's layers at places of a text, after the earlier requests. Opens the model's layers if they
   * are closed. Rejects with an AbortError as soon as `options.signal` aborts, with a RequestRefusedError if the query asks
   * for a place or layer that does not exist, else with a readable Error.
   */
  readLayers(query: LayersQuery, options?: ReadLayersOptions): Promise<LayersReadingWithTexts>;
  /**
   * The problems that keep a mod's source from compiling; empty if it compiles. Rejects with the signal's reason when
   * it is aborted, or with a readable Error if the compiler does not start.
   */
  compileProblems(source: string, signal?: AbortSignal): Promise<readonly CompileProblem[]>;
  /** The names under which a file may export mods: "default" first, then the others in the file's order. Rejects as `compileProblems` does. */
  exportedNames(source: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Whether a mod names an action that removes emitted text, so that a stream of its answer has to hold text back. Rejects as `compileProblems` does. */
  removesText(source: string, signal?: AbortSignal): Promise<boolean>;
  /** Keeps this many sandboxes warm for the next request's mods. */
  keepReady(modCount: number): void;
  /** Calls `listener` whenever the loaded model is gone, because it broke or the engine's worker ended, until the returned function is called. */
  onModelGone(listener: () => void): () => void;
  /** Calls `listener` whenever the models' memory changes, with null when the engine has ended, until the returned function is called. */
  onMemory(listener: (memory: EngineMemory | null) => void): () => void;
  /** See `memoryBudget` of SessionOptions. Memory above the budget is freed after the current request. `textBytes`: the part of it for cached texts; an eighth by default. */
  setMemoryBudget(bytes: number, textBytes?: number): void;
  /** Sets the Hugging Face token of later loads, for gated and private models; null removes the token. */
  setHubAccess(access: HubAccess | null): void;
  /** Sets the model server of later loads, with its key; null removes both. */
  setServerAccess(access: ServerAccess | null): void;
  /** Calls `listener` with each warning about a model that continues to run, until the returned function is called. */
  onNotice(listener: (notice: string) => void): () => void;
  /** Ends an idle engine to free its memory. The next request starts it and loads the model again. @returns whether the engine ended */
  release(): boolean;
  dispose(): void;
}
