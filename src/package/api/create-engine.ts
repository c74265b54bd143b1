/** `createEngine`: runs models in this program, behind OpenAI's calls. */

import type { FileAddresses } from "../../core/base/file-addresses.ts";
import type { HubToken } from "../../core/base/hub-token.ts";
import { importProgramPart } from "../../core/base/import-part.ts";
import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import type { SessionOptions } from "../../runtime/session/page-side/client.ts";
import { browserSessionOptions } from "../../runtime/session/page-side/session-options.ts";
import type {
  DevicePreference,
  LoadProgress,
  ModelReference,
} from "../../runtime/session/shared/protocol.ts";
import { ApiError, invalidRequestError } from "./api-error.ts";
import { createChatCompletions, createTextCompletions } from "./completions.ts";
import { createLazyEmbeddings } from "./embeddings/lazy-embeddings.ts";
import { LoadedModels } from "./loaded-models.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { ModRegistry } from "./mod-registry.ts";
import { hubAccessOf } from "./model-reference.ts";
import { RequestStore } from "./request-store.ts";
import { createLazyResponses } from "./responses/lazy-responses.ts";
import { createStartRequest } from "./start-requests.ts";
import { type EngineStore, storeLimits } from "./store/engine-store.ts";
import { MemoryStore } from "./store/memory-store.ts";
import { CrossEngineModStore } from "./store/stored-mods.ts";
import { CrossEngineTraceStore } from "./store/stored-traces.ts";

export interface EngineOptions extends FileAddresses {
  /** A model to load before the promise resolves. Load more with `models.load`. */
  readonly model?: ModelReference | string;
  /** The dtype of the weights, for a model that is given by its address or hub id. By default, or with "auto": the best available weights for the device. */
  readonly dtype?: string;
  /** By default "auto": WebGPU if its results are correct on this device, else WebAssembly. */
  readonly device?: DevicePreference;
  /**
   * Opens the model's layers when it is loaded, so that mods can read and steer them. By default the first request with such
   * a mod opens them, which takes about as long as loading the model from the browser's storage.
   */
  readonly openLayers?: boolean;
  readonly onProgress?: (progress: LoadProgress) => void;
  /**
   * An access token of the hub, for gated and private models. It is sent only to the hub's own origin. Anyone who opens your
   * page can read a token in its scripts, so let your user type it in.
   */
  readonly hubToken?: HubToken;
  /** Cancels the creation. */
  readonly signal?: AbortSignal;
  /**
   * The most bytes of memory for all models together. If they exceed it, the least recently used model is released, and its
   * next request loads it again; a single model may use more. By default half of the device's memory if the browser reports
   * it, else 4 GB.
   */
  readonly memoryBudget?: number;
  /** How many ended requests stay in memory with their records (at most 256 MB of records); 50 by default. */
  readonly keepRequests?: number;
  /** How many responses stay in memory for `previous_response_id`; 200 by default. A store has its own limit. */
  readonly keepResponses?: number;
  /**
   * Saves traces, responses and mods for later engines, and for other engines with the same store. The store stays open when
   * the engine is disposed of. By default they are in memory and end with the engine.
   */
  readonly store?: EngineStore;
  /** Called with a message for the user about a problem that makes no call fail, for example if the store refused a trace. */
  readonly onNotice?: (notice: string) => void;
  /** Address of a page that shows timelines from links. */
  readonly viewer?: string;
  /** Replaces the workers and frames in which engines and sandboxes run. Takes precedence over the addresses of files. */
  readonly session?: SessionOptions;
  /** The base of relative addresses of models; the page by default. */
  readonly base?: string;
}

const optionKeys: OptionKeys<EngineOptions> = {
  model: true,
  dtype: true,
  device: true,
  openLayers: true,
  onProgress: true,
  hubToken: true,
  signal: true,
  memoryBudget: true,
  keepRequests: true,
  keepResponses: true,
  store: true,
  onNotice: true,
  viewer: true,
  session: true,
  base: true,
  assetsUrl: true,
  workerUrl: true,
  sandboxUrl: true,
};

/**
 * Rejects with the signal's reason when aborted, with a TypeError for an unknown option, and otherwise with an ApiError, for
 * example one that says why the model could not be loaded.
 */
export async function createEngine(options: EngineOptions = {}): Promise<MidtokenEngine> {
  checkOptionKeys("createEngine", options, optionKeys);
  const { model, keepRequests = 50, viewer = "", session, memoryBudget, onNotice = () => {} } = options;
  if (!session?.createSandboxes && globalThis.document === undefined) throw noDocument();
  if (memoryBudget !== undefined && !(memoryBudget > 0)) throw noBudget(memoryBudget);
  const hubAccess = hubAccessOf(options.hubToken);
  const models = new LoadedModels(
    {
      ...browserSessionOptions(options),
      ...session,
      ...(memoryBudget !== undefined && { memoryBudget }),
      ...(hubAccess && { hubAccess }),
    },
    options.base ?? globalThis.document?.baseURI,
  );
  const { store = null } = options;
  const mods = new ModRegistry(() => models.compiler, store && new CrossEngineModStore(store, onNotice));
  const archive = store && new CrossEngineTraceStore(store, onNotice);
  const requests = new RequestStore({ keep: keepRequests, viewer, archive });
  const start = createStartRequest({ models, mods, requests });
  const engine: MidtokenEngine = {
    models,
    mods,
    requests,
    chat: { completions: createChatCompletions(start) },
    completions: createTextCompletions(start),
    responses: createLazyResponses(start, { store: store ?? memoryOf(options), onNotice }),
    embeddings: createLazyEmbeddings(models),
    async readLayers(...asked) {
      const { createReadLayers } = await importProgramPart(
        "The layer reader",
        () => import("./read-layers.ts"),
        "createReadLayers",
      );
      return createReadLayers(models)(...asked);
    },
    dispose() {
      // Called before the requests end, so that their errors contain the reason.
      models.close();
      requests.cancelAll();
      models.dispose();
    },
  };
  if (model === undefined) return engine;
  try {
    const { dtype, device, openLayers, onProgress, signal } = options;
    await models.load(model, {
      ...(dtype !== undefined && { dtype }),
      ...(device !== undefined && { device }),
      ...(openLayers !== undefined && { openLayers }),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    });
    return engine;
  } catch (error) {
    engine.dispose();
    throw error;
  }
}

function memoryOf({ keepResponses = storeLimits.response.count }: EngineOptions): EngineStore {
  return new MemoryStore({ ...storeLimits, response: { ...storeLimits.response, count: keepResponses } });
}

function noBudget(given: unknown): ApiError {
  return invalidRequestError(
    `memoryBudget is ${String(given)}. Give the total number of bytes that all models may use, such as 4e9 for 4 GB, or leave it out.`,
    "memoryBudget",
  );
}

function noDocument(): ApiError {
  return new ApiError(
    "createEngine needs a browser page, because mods run in iframes. In Node, use createNodeEngine from midtoken/node; on a server that renders pages, create the engine in the browser; in a worker, create it in the page.",
    { status: 501, type: "engine_error", code: "no_document" },
  );
}
