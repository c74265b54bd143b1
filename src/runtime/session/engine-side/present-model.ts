/** The model that an engine answers with: loads the model, opens its layers on request, frees it, and tells how much memory it takes. */
import type { HubAccess } from "../../../core/base/hub-token.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import { KvCache } from "../../../core/decoder/kv-cache/kv-cache.ts";
import { dtypeOf } from "../../engine/base/dtype.ts";
import { pickedSource } from "../../engine/files/files-source.ts";
import {
  layersStayClosed,
  serverGivesNoLayers,
  throughLibraryWords,
} from "../../engine/graph/layered-graph.ts";
import type { LoadOptions, loadModel } from "../../engine/load/load-model.ts";
import { defaultMemoryBudget } from "../shared/memory-budget.ts";
import type { ModelReference, PageMessage, SendToPage } from "../shared/protocol.ts";
import { type Loaded, LoadedModelCache } from "./loaded-model-cache.ts";

type LoadMessage = Extract<PageMessage, { type: "load" }>;
type MakeRoom = NonNullable<LoadOptions["makeRoom"]>;

/** The model as one request uses it. */
export interface Conversation {
  readonly kvCache: KvCache;
  /** Called when the request has ended. */
  end(): Promise<void>;
}

interface PresentModelOptions {
  readonly loadModel: typeof loadModel;
  readonly send: SendToPage;
}

export class PresentModel {
  readonly #options: PresentModelOptions;
  #loaded: Loaded | null = null;
  /** For the loads that follow. */
  hubAccess: HubAccess | null = null;
  /** For the loads that follow: the only server that they may ask. */
  serverAccess: ServerAccess | null = null;
  /** The present model, and earlier ones that still fit the budget. */
  readonly #models = new LoadedModelCache(defaultMemoryBudget());
  /** The last memory report that was sent to the page, as JSON. */
  #sentMemory = "";

  constructor(options: PresentModelOptions) {
    this.#options = options;
  }

  get loaded(): Loaded | null {
    return this.#loaded;
  }

  /** @throws Error when no model is loaded. */
  get(): Loaded {
    if (!this.#loaded) throw new Error("No model is loaded. Choose one, and run again.");
    return this.#loaded;
  }

  /** @throws what loading it throws; no model is loaded then. */
  async load({ id, files, ...choice }: LoadMessage, signal: AbortSignal): Promise<Loaded> {
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
        aroundTokenizer: aroundTokenizer(this.#options.send, id),
        ...pickedSource(model.id, files),
        onProgress: (progress) => this.#options.send({ type: "progress", id, progress }),
      }),
    );
    return this.#loaded;
  }

  /**
   * The loaded model with its layers opened. If they are closed, the model is loaded again from the same files on the
   * same device, and its cached texts are lost.
   * @param of the request or the reading that asks
   * @throws UnsupportedGraphError if its layers are not found; the signal's reason; the errors of loading. The closed
   * model stays, unless the memory did not hold both: the page then gets `modelGone`.
   */
  async withLayers(of: string | number, signal: AbortSignal): Promise<Loaded> {
    const closed = this.get();
    if (closed.parts.model.layers) return closed;
    const { info, isThroughLibrary } = closed.parts;
    if (isThroughLibrary) throw layersStayClosed(info.file, throughLibraryWords);
    const { device } = info;
    if (device === "server") throw serverGivesNoLayers();
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
          aroundTokenizer: aroundTokenizer(send, of),
          ...pickedSource(model, closed.files),
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

  /** The only conversation of a local model, or one of the many that a model on a server holds. */
  startConversation(loaded: Loaded): Conversation {
    const model = loaded.parts.startConversation?.();
    if (!model) return { kvCache: loaded.kvCache, end: () => this.dropIfFailed(loaded) };
    // After a failure the other conversations go on, and the next one asks the server again what it runs.
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
   * Tells the page how much memory the models take, if that has changed.
   * @param coming bytes of a model that is about to be loaded
   */
  tell(coming = 0): void {
    const memory = this.#models.memory(this.#loaded, coming);
    const sent = JSON.stringify(memory);
    if (sent === this.#sentMemory) return;
    this.#sentMemory = sent;
    this.#options.send({ type: "memory", memory });
  }

  /** Frees cached texts and the models that were used longest ago until the rest fits the budget. */
  async fit(): Promise<void> {
    await this.#models.fit();
    this.tell();
  }

  /** The page hears `modelGone` before the last records of a request, so that a run started after them first loads the model again. */
  async dropIfFailed({ kvCache }: Loaded): Promise<void> {
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

/** Tells the page when making the tokenizer begins and ends, so that the page can end a worker that never finishes. */
export function aroundTokenizer(send: SendToPage, of: string | number): <Made>(make: () => Made) => Made {
  return (make) => {
    send({ type: "tokenizerStarted", of });
    try {
      return make();
    } finally {
      send({ type: "tokenizerEnded", of });
    }
  };
}

/** The same weights on the same device: the choices made at the first load are not made again. */
function sameWeights(
  { parts: { info }, choice: { model } }: Loaded,
  device: "webgpu" | "wasm",
): ModelReference {
  const dtype = dtypeOf(info.file) ?? model.dtype[device];
  return { ...model, dtype: { webgpu: dtype, wasm: dtype } };
}
