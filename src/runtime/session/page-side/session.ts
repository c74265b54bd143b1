/** The page's interface of a session. */

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
import type { NamedReading, ReadLayersOptions } from "./layers.ts";

/** One request on its way. */
export interface RunHandle {
  /** Settles after the last record. Rejects with a readable Error when the request could not start or the engine broke. */
  readonly done: Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  /** Goes on by one token, or by the rest of the step in whose middle it is held, and pauses again. */
  stepOnce(): void;
  /** Goes on up to the next event, or answer of a mod, and pauses again. */
  stepEvent(): void;
  /** Replaces the breakpoints at which the request pauses by itself. */
  setBreakpoints(breakpoints: readonly Breakpoint[]): void;
}

/** The engine makes requests in the order in which it gets them, and it gets one when its sandboxes are made. */
export interface RunOptions {
  /** The engine gets the request when this has settled, and not before. */
  readonly after?: Promise<void>;
  /**
   * In the place of the source of a mod, by its place: a mod of the page's own code, which runs where the session is and not in
   * a sandbox. Its source goes into the trace alone.
   */
  readonly trusted?: ReadonlyMap<number, Mod | (() => Readonly<Record<string, unknown>>)>;
  /** Called when the engine has it. */
  onPosted?(): void;
  /** The request is held: because it was asked to, after a single step, or at a breakpoint. Its records up to there have come. */
  onPaused?(pause: Pause): void;
  /**
   * The model is loaded anew with its layers opened, which the request's mods read or steer; null: they are open, or will not be.
   * Not called where they are already.
   */
  onOpening?(opening: LayersOpening | null): void;
  /** The mods of a branch know this share of what was before it, from 0 to 1. Not called once its records come. */
  onCaughtUp?(share: number): void;
}

/** A loaded model with mods, over many requests. */
export interface Session {
  /**
   * Replaces the model, once the requests before it have ended. Rejects with an AbortError as soon as it is cancelled, else
   * with a readable Error.
   */
  loadModel(model: ModelReference, device: DevicePreference, options: LoadOptions): Promise<LoadedModel>;
  /** Loads the last model again where it is gone, then runs. */
  run(
    request: RunRequest,
    onRecords: (records: readonly TraceRecord[]) => void,
    options?: RunOptions,
  ): RunHandle;
  /**
   * Asks the mods again about a recorded request, in fresh sandboxes and without its model. Rejects with an AbortError as soon
   * as `signal` aborts, else with a readable Error.
   */
  verify(request: VerifyRequest, signal?: AbortSignal): Promise<Verification>;
  /** The prompt as the model sees it. Does not wait for requests. Rejects with an AbortError as soon as `signal` aborts. */
  tokenizePrompt(prompt: PromptRequest, signal?: AbortSignal): Promise<readonly PromptToken[]>;
  /**
   * Reads the inside of the model's passes at places of a text, in its turn after the requests before it; opens the model's layers
   * where they are not. Rejects with an AbortError as soon as `options.signal` aborts, with a RequestRefusedError where the query
   * asks for what there is not, else with a readable Error.
   */
  readLayers(query: LayersQuery, options?: ReadLayersOptions): Promise<NamedReading>;
  /**
   * The problems that keep a mod's source from compiling; empty if it compiles. Rejects with the signal's reason when
   * it is aborted, or with a readable Error if the compiler does not start.
   */
  compileProblems(source: string, signal?: AbortSignal): Promise<readonly CompileProblem[]>;
  /**
   * The names under which a file may export mods: "default" first, then the others in the file's order. Rejects as
   * `compileProblems` does.
   */
  exportedNames(source: string, signal?: AbortSignal): Promise<readonly string[]>;
  /**
   * Whether a mod names an action that removes emitted text, so that a stream of its answer has to hold text back. Rejects as
   * `compileProblems` does.
   */
  takesBack(source: string, signal?: AbortSignal): Promise<boolean>;
  /** Keeps sandboxes ready for a request with so many mods. */
  keepReady(modCount: number): void;
  /** Calls `listener` whenever the loaded model is gone, because it broke or the engine's worker ended, until the returned function is called. */
  onModelGone(listener: () => void): () => void;
  /** Calls `listener` whenever what the models take of memory has changed, with null when the engine is gone, until the returned function is called. */
  onMemory(listener: (memory: EngineMemory | null) => void): () => void;
  /**
   * See `memoryBudget` of SessionOptions. Memory above the budget is freed after the current request. `textBytes`:
   * the part of it for cached texts; an eighth by default.
   */
  setMemoryBudget(bytes: number, textBytes?: number): void;
  /** The token that the hub is shown by the loads that follow, for gated and private models; null forgets it. */
  setHubAccess(access: HubAccess | null): void;
  /** The model server that the loads that follow may ask, with its key; null forgets it. */
  setServerAccess(access: ServerAccess | null): void;
  /** Calls `listener` with sentences about a model that goes on, until the returned function is called. */
  onNotice(listener: (notice: string) => void): () => void;
  /** Ends the engine, which frees its memory, where nothing is asked of it; the next request starts it and loads the model again. @returns whether it did */
  release(): boolean;
  dispose(): void;
}
