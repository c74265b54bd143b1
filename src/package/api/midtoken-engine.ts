/** The engine that `createEngine` returns: models in this page, with mods and timelines, used through OpenAI's calls. Types only. */

import type { Mod } from "../../core/sdk/mod.ts";
import type { ModPayload, SerializeOptions } from "../../core/sdk/serialize.ts";
import type { Trace, TraceRecord } from "../../core/trace/format/format.ts";
import type {
  LayersQuery,
  LayersReading,
  ReadLayersOptions,
} from "../../runtime/session/page-side/layers.ts";
import type { LoadedModel } from "../../runtime/session/shared/loading.ts";
import type {
  DevicePreference,
  LoadProgress,
  ModelReference,
} from "../../runtime/session/shared/protocol.ts";
import type { ModLimits } from "../../runtime/session/shared/requests.ts";
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest } from "./chat-completion.ts";
import type { Completions } from "./completions-api.ts";
import type { Embeddings } from "./embeddings/embedding-types.ts";
import type { Responses } from "./responses/responses-api.ts";
import type { TextCompletion, TextCompletionRequest } from "./text-completion.ts";

/** A model that is loaded or being loaded. */
export interface EngineModel {
  readonly id: string;
  readonly reference: ModelReference;
  /** Null while the model is being loaded. */
  readonly loaded: LoadedModel | null;
}

export interface Models {
  list(): readonly EngineModel[];
  /**
   * Loads another model, in its own worker. If the model is already loaded, returns it at once. Rejects with the signal's
   * reason when aborted, otherwise with an ApiError: 409 if another model, or the same model with other weights, has this
   * id.
   */
  load(model: ModelReference | string, options?: LoadModelOptions): Promise<EngineModel>;
  /** Removes a model; its requests fail. @throws ApiError, 404, if the model is not loaded */
  unload(id: string): void;
}

export interface LoadModelOptions {
  /** The dtype of the weights, for a model that is given by its address or hub id. By default, or with "auto": the best available weights for the device. */
  readonly dtype?: string;
  readonly device?: DevicePreference;
  /** Opens the model's layers at once: see EngineOptions. Has no effect on a model that is already loaded. */
  readonly openLayers?: boolean;
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
}

/** The source file of a mod, and a name for the mod, as for `serializeMod`. */
export interface ModFile extends SerializeOptions {
  /** The text of the whole TypeScript file. */
  readonly source: string;
}

export interface RegisterOptions {
  /** If false, only this engine has the mod, even if the engine has a store. */
  readonly store?: boolean;
  /** Runs the mod's file for a request, without a sandbox, and returns its exports. Such a mod is never stored. */
  readonly trusted?: () => Readonly<Record<string, unknown>>;
  /** Limits of this mod alone. Such a mod is never stored. */
  readonly limits?: ModLimits;
}

export interface Mods {
  /**
   * Registers a mod from its file; it runs in a sandbox. Registering the same name again replaces the mod. Rejects with an
   * ApiError: 400 if the source does not compile (with the line), if the file does not export the mod, and for the 101st
   * mod; 413 if the mod, or all mods together, are too large. An engine with a store writes the mod into the store, for all
   * engines that share it: 409 if a mod that only this engine has uses the name.
   */
  register(mod: ModPayload | ModFile, options?: RegisterOptions): Promise<ModPayload>;
  /**
   * Registers a mod of the page's own code. It runs where the engine was created, without a sandbox: it can access the page,
   * and nothing can end it while it is busy. Its module variables keep their values from request to request.
   */
  registerTrusted(mod: Mod, options: { readonly name: string; readonly description?: string }): ModPayload;
  /** The mods that this engine knows. Mods that other engines wrote into the store appear after `sync`. */
  list(): readonly ModPayload[];
  /** Reads the store's mods again. A request with an unknown mod does this automatically. */
  sync(): Promise<void>;
  /** Rejects with an ApiError, 404, if there is no such mod; the message names the registered mods. */
  remove(name: string): Promise<void>;
}

/** "failed": the request has no answer, because a mod or the engine failed, or because it was cancelled. */
export type RequestStatus = "waiting" | "running" | "finished" | "failed";

export interface RequestInfo {
  readonly id: string;
  /** The requested model string, mods included. */
  readonly model: string;
  readonly status: RequestStatus;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** The error of a failed or cancelled request. */
  readonly error: Error | null;
}

/** `records`: new records of the request, in order. `status`: the request was added, began, ended or failed. */
export type RequestEvent =
  | { readonly type: "records"; readonly request: RequestInfo; readonly records: readonly TraceRecord[] }
  | { readonly type: "status"; readonly request: RequestInfo };

/**
 * The requests of this engine: all waiting and running requests, and the last `keepRequests` ended requests. With a store, `trace`,
 * `traceFile` and `permalink` also read the requests of other engines.
 */
export interface Requests {
  list(): readonly RequestInfo[];
  /** Calls the listener for all events of one request, or for all later events, until the returned function is called. @throws ApiError, 404, for an unknown `id` */
  subscribe(listener: (event: RequestEvent) => void, id?: string): () => void;
  /** The records of a request so far. @throws ApiError, 404 */
  records(id: string): readonly TraceRecord[];
  /** The trace of an ended request. Rejects with an ApiError: 404, or 409 while the request is running. */
  trace(id: string): Promise<Trace>;
  /** The bytes of a `.trace` file. Rejects as `trace` does. */
  traceFile(id: string): Promise<Uint8Array>;
  /**
   * A link that shows the timeline: the viewer's address (`viewer`, or that of `createEngine`), with the trace in its
   * fragment. Without a viewer, only the fragment, which `<token-timeline src>` accepts too. Rejects as `trace` does.
   */
  permalink(id: string, viewer?: string): Promise<string>;
  /** Cancels a request. @throws ApiError, 404 */
  cancel(id: string): void;
}

export interface MidtokenEngine {
  readonly models: Models;
  readonly mods: Mods;
  readonly chat: {
    readonly completions: Completions<ChatCompletionRequest, ChatCompletion, ChatCompletionChunk>;
  };
  readonly completions: Completions<TextCompletionRequest, TextCompletion, TextCompletion>;
  /** OpenAI's responses. The last `keepResponses` of them are stored, in memory or in the store. */
  readonly responses: Responses;
  /** Embeddings of texts, made of a model's hidden states. */
  readonly embeddings: Embeddings;
  readonly requests: Requests;
  /**
   * Reads the layers of a model at places of a text: hidden states, and the next tokens that each layer predicts. Waits for
   * earlier requests, and opens the model's layers if they are closed. Rejects with the signal's reason, else with an ApiError:
   * 400 for layers or places that do not exist.
   */
  readLayers(model: string, query: LayersQuery, options?: ReadLayersOptions): Promise<LayersReading>;
  /** Ends workers, sandboxes and requests. Later calls fail with an ApiError, 503, `engine_disposed`. */
  dispose(): void;
}
