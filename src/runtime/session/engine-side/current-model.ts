/** The model that the engine uses: loads it, opens its layers on request, frees it, and reports its memory. */
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import { KvCache } from "../../../core/decoder/kv-cache/kv-cache.ts";
import { dtypeOf } from "../../engine/base/dtype.ts";
import { pickedSourceOption } from "../../engine/files/files-source.ts";
import {
  layersStayClosedError,
  noLayersOnServerError,
  throughLibraryReason,
} from "../../engine/graph/layered-graph.ts";
import type { LoadOptions, loadModel } from "../../engine/load/load-model.ts";
import { defaultMemoryBudget } from "../shared/memory-budget.ts";
import type { ModelReference, PageMessage, SendToPage } from "../shared/protocol.ts";
import { LoadedModelCache, type LoadedModelEntry } from "./loaded-model-cache.ts";

type LoadMessage = Extract<PageMessage, { type: "load" }>;
type MakeRoom = NonNullable<LoadOptions["makeRoom"]>;

/** The model as one request uses it. */
export interface ModelLease {
  readonly kvCache: KvCache;
  /** Called when the request has ended. */
  end(): Promise<void>;
}

interface PresentModelOptions {
  readonly loadModel: typeof loadModel;
  readonly send: SendToPage;
}

export class CurrentModel {
  readonly #options: PresentModelOptions;
  #loaded: LoadedModelEntry | null = null;
  /** The access token for later loads. */
  hubAccess: HubAccess | null = null;
  /** The only server that later loads may use. */
  serverAccess: ServerAccess | null = null;
  /** The current model, and earlier ones that still fit the budget. */
  readonly #models = new LoadedModelCache(defaultMemoryBudget());
  /** The last memory report that was sent to the page, as JSON. */
  #sentMemory = "";

  constructor(options: PresentModelOptions) {
    this.#options = options;
  }

  get loaded(): LoadedModelEntry | null {
    return this.#loaded;
  }

  /** @throws Error if no model is loaded. */
  get(): LoadedModelEntry {
    if (!this.#loaded) throw new Error("No model is loaded. Choose a model, then run again.");
    return this.#loaded;
  }

  /** @throws the errors of loading; then no model is loaded. */
  async load({ id, files, ...choice }: LoadMessage, signal: AbortSignal): Promise<LoadedModelEntry> {
    this.#loaded = null;
    const { model, device, openLayers } = choice;
    this.#loaded = await this.#models.load({ ...choice, files }, signal, (free) =>
      this.#options.loadModel(model, device, {
        signal,
        openLayers,
        makeRoom: this.#telling(free),
        hubAccess: this.hubAccess,
        serverAccess: this.serverAccess,
        onNotice: (notice) => this.#options.send({ type: "notice", notice }),
        aroundTokenizer: createTokenizerBuildReporter(this.#options.send, id),
        ...pickedSourceOption(model.id, files),
        onProgress: (progress) => this.#options.send({ type: "progress", id, progress }),
      }),
    );
    return this.#loaded;
  }

  /**
   * The loaded model with open layers. If they are closed, the model is loaded again from the same files on the same device,
   * and its cached texts are lost.
   * @param of the request or reading that needs the layers
   * @throws UnsupportedGraphError if the layers are not found, or the model runs through a library or on a server; Error if
   * no model is loaded; the signal's reason; the errors of loading. The closed model stays, unless memory was too small for
   * both: the page then gets `modelGone`.
   */
  async withLayers(of: string | number, signal: AbortSignal): Promise<LoadedModelEntry> {
    const closed = this.get();
    if (closed.bundle.model.layers) return closed;
    const { info, isThroughLibrary } = closed.bundle;
    if (isThroughLibrary) throw layersStayClosedError(info.file, throughLibraryReason);
    const { device } = info;
    if (device === "server") throw noLayersOnServerError();
    const { send, loadModel } = this.#options;
    const model = info.id;
    signal.throwIfAborted();
    send({ type: "opening", of, opening: { model, progress: null } });
    try {
      this.#loaded = await this.#models.open(closed, signal, (free) =>
        loadModel(sameWeights(closed, device), device, {
          signal,
          openLayers: true,
          makeRoom: this.#telling(free),
          hubAccess: this.hubAccess,
          aroundTokenizer: createTokenizerBuildReporter(send, of),
          ...pickedSourceOption(model, closed.files),
          onProgress: (progress) => send({ type: "opening", of, opening: { model, progress } }),
        }),
      );
      return this.#loaded;
    } catch (error) {
      if (!this.#models.has(closed)) {
        this.#loaded = null;
        send({ type: "modelGone" });
      }
      throw error;
    } finally {
      send({ type: "opening", of, opening: null });
      this.tell();
    }
  }

  /** The only conversation of a local model; for a model on a server, a new conversation. */
  startConversation(loaded: LoadedModelEntry): ModelLease {
    const model = loaded.bundle.startConversation?.();
    if (!model) return { kvCache: loaded.kvCache, end: () => this.dropIfFailed(loaded) };
    // If a conversation fails, the others continue. The next conversation asks the server again which model it runs.
    return { kvCache: new KvCache(model), end: () => model.dispose() };
  }

  #telling(free: MakeRoom): MakeRoom {
    return async (bytes) => {
      await free(bytes);
      this.tell(bytes);
    };
  }

  setBudget(bytes: number, textBytes?: number): void {
    this.#models.setBudget(bytes, textBytes);
  }

  /**
   * Tells the page how much memory the models use, if the number has changed.
   * @param coming bytes of a model that is about to be loaded
   */
  tell(coming = 0): void {
    const memory = this.#models.memory(this.#loaded, coming);
    const sent = JSON.stringify(memory);
    if (sent === this.#sentMemory) return;
    this.#sentMemory = sent;
    this.#options.send({ type: "memory", memory });
  }

  /** Frees cached texts, then the models that were used longest ago, until the rest fits the budget. The model used last stays, however large. */
  async fit(): Promise<void> {
    await this.#models.fit();
    this.tell();
  }

  /** Must be called before the last records of a request are sent: a run that the page then starts loads the model again first. */
  async dropIfFailed({ kvCache }: LoadedModelEntry): Promise<void> {
    if (!kvCache.hasFailed) return;
    this.#options.send({ type: "modelGone" });
    await this.drop();
  }

  async drop(): Promise<void> {
    const old = this.#loaded;
    this.#loaded = null;
    if (old) await this.#models.free(old);
  }

  async freeAll(): Promise<void> {
    this.#loaded = null;
    await this.#models.freeAll();
  }
}

/** Returns a function that runs `make`, the making of a tokenizer, and tells the page when it begins and ends, so that the page can end a worker that never finishes. */
export function createTokenizerBuildReporter(
  send: SendToPage,
  of: string | number,
): <Made>(make: () => Made) => Made {
  return (make) => {
    send({ type: "tokenizerStarted", of });
    try {
      return make();
    } finally {
      send({ type: "tokenizerEnded", of });
    }
  };
}

/** The weights and the device of the first load, so that nothing is chosen again. */
function sameWeights(
  { bundle: { info }, choice: { model } }: LoadedModelEntry,
  device: "webgpu" | "wasm",
): ModelReference {
  const dtype = dtypeOf(info.file) ?? model.dtype[device];
  return { ...model, dtype: { webgpu: dtype, wasm: dtype } };
}
