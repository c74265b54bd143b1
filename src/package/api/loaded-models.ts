/** The models of an engine. Each has its own session, and so its own worker; all share one memory budget. */

import { untilAborted } from "../../core/base/abort.ts";
import { isSameModel } from "../../core/base/is-same-model.ts";
import { checkOptionKeys, type OptionKeys } from "../../core/base/known-keys.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { redactUrlSecrets } from "../../core/base/without-secrets.ts";
import { createSession, type Session, type SessionOptions } from "../../runtime/session/page-side/client.ts";
import type { LoadedModel } from "../../runtime/session/shared/loading.ts";
import { defaultMemoryBudget, isOutOfMemoryMessage } from "../../runtime/session/shared/memory-budget.ts";
import type { DevicePreference, ModelReference } from "../../runtime/session/shared/protocol.ts";
import { ApiError, engineDisposedError, modelNotFoundError } from "./api-error.ts";
import { FairQueue } from "./fair-queue.ts";
import type { EngineModel, LoadModelOptions, Models } from "./midtoken-engine.ts";
import { checkDevice, modelReadFailedError, modelReferenceOf } from "./model-reference.ts";
import { divideTextCache } from "./text-shares.ts";

/**
 * The most requests in the session of a local model: one that runs, and the next one, whose sandboxes are started meanwhile.
 */
const requestsAtOnce = 2;

export interface ModelSession {
  readonly reference: ModelReference;
  readonly session: Session;
  readonly queue: FairQueue;
  /** Settles with the model when it is loaded. */
  readonly loading: Promise<LoadedModel>;
  loaded: LoadedModel | null;
  /** Bytes of memory that the model uses or will use; 0 after its worker was ended. */
  bytes: number;
  /** The part of `bytes` for cached texts. */
  textBytes: number;
  /** The last limit for cached texts that was sent to the model; null before the first one. */
  textShare: number | null;
}

const loadKeys: OptionKeys<LoadModelOptions> = {
  dtype: true,
  device: true,
  openLayers: true,
  onProgress: true,
  signal: true,
};

export class LoadedModels implements Models {
  readonly #options: SessionOptions;
  readonly #base: string | undefined;
  readonly #memoryBudget: number;
  /** The models in the order of their last use; the last one used is last. */
  readonly #sessions = new Map<string, ModelSession>();
  /** A session that compiles mods while no model is loaded. */
  #unusedSession: Session | null = null;
  #isDisposed = false;

  /** `base`: the base of relative addresses of models. `options.memoryBudget`: the budget of all models together. */
  constructor(options: SessionOptions, base: string | undefined) {
    this.#options = options;
    this.#memoryBudget = options.memoryBudget ?? defaultMemoryBudget();
    this.#base = base;
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** Returns any session for compiling mods. @throws ApiError, 503, after `dispose` */
  get compiler(): Session {
    this.#refuseDisposed();
    const [first] = this.#sessions.values();
    if (first) return first.session;
    this.#unusedSession ??= createSession(this.#options);
    return this.#unusedSession;
  }

  get ids(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** @throws ApiError, 404, or 503 after `dispose` */
  get(id: string): ModelSession {
    this.#refuseDisposed();
    const found = this.#sessions.get(id);
    if (found) return found;
    throw modelNotFoundError(id, this.ids);
  }

  /** Marks the model as used last, because a request with it begins. */
  use(entry: ModelSession): void {
    if (!this.has(entry)) return;
    this.#sessions.delete(entry.reference.id);
    this.#sessions.set(entry.reference.id, entry);
    this.#shareTexts();
  }

  has(entry: ModelSession): boolean {
    return this.#sessions.get(entry.reference.id) === entry;
  }

  list(): readonly EngineModel[] {
    return [...this.#sessions.values()].map(describe);
  }

  async load(model: ModelReference | string, options: LoadModelOptions = {}): Promise<EngineModel> {
    const { dtype, device = "auto", onProgress = () => {}, signal = new AbortController().signal } = options;
    const { openLayers } = options;
    checkOptionKeys("models.load", options, loadKeys);
    signal.throwIfAborted();
    this.#refuseDisposed();
    checkDevice(device);
    const reference = modelReferenceOf(model, dtype, this.#base);
    const existing = this.#sessions.get(reference.id);
    if (existing && !isSameModel(existing.reference, reference))
      throw idIsTakenError(existing.reference, reference);
    const entry = existing ?? this.#open(reference, device, { onProgress, signal, openLayers });
    try {
      entry.loaded = await untilAborted(entry.loading, signal);
      return describe(entry);
    } catch (error) {
      if (!existing) this.#drop(reference.id, entry);
      signal.throwIfAborted();
      if (this.#isDisposed) throw engineDisposedError();
      throw modelReadFailedError(error, model);
    }
  }

  unload(id: string): void {
    this.#drop(id, this.get(id));
  }

  /** Refuses all later requests. Running requests go on until `dispose`. */
  close(): void {
    this.#isDisposed = true;
  }

  dispose(): void {
    this.close();
    for (const [id, entry] of this.#sessions) this.#drop(id, entry);
    this.#unusedSession?.dispose();
    this.#unusedSession = null;
  }

  #open(
    reference: ModelReference,
    device: DevicePreference,
    options: Parameters<Session["loadModel"]>[2],
  ): ModelSession {
    const session = this.#unusedSession ?? createSession(this.#options);
    this.#unusedSession = null;
    const queue = new FairQueue(requestsAtOnce, () => this.#release(this.#memoryBudget));
    const load = async () => {
      const loaded = await session.loadModel(reference, device, options);
      queue.setAtOnce(Math.max(requestsAtOnce, loaded.conversations ?? 1));
      return loaded;
    };
    const loading = load().catch((error: unknown) => {
      // The amount of free memory is unknown. If it was too small, the other models are released, and the model is loaded
      // once more.
      if (!isOutOfMemoryMessage(messageOf(error)) || !this.#release(0, entry)) throw error;
      return load();
    });
    const entry: ModelSession = {
      reference,
      session,
      queue,
      loading,
      loaded: null,
      ...noMemory,
      textShare: null,
    };
    session.onMemory((memory) => {
      const before = entry.bytes;
      Object.assign(entry, memory ? { bytes: memory.bytes, textBytes: memory.textBytes } : noMemory);
      this.#shareTexts();
      if (entry.bytes > before) this.#release(this.#memoryBudget, entry);
    });
    this.#sessions.set(reference.id, entry);
    return entry;
  }

  /**
   * Ends workers of idle models, the least recently used first, until all models together fit `budget`. The next request
   * loads such a model again. Keeps the most recently used model and `needed`.
   * @returns whether any worker was ended
   */
  #release(budget: number, needed?: ModelSession): boolean {
    const entries = [...this.#sessions.values()];
    const newest = needed ?? entries.at(-1);
    let released = false;
    for (const entry of entries) {
      // Cached texts above a model's limit will be dropped, so they do not count.
      const bytesWithinShare = (each: ModelSession) =>
        each.bytes - Math.max(0, each.textBytes - (each.textShare ?? Number.POSITIVE_INFINITY));
      if (entries.reduce((sum, each) => sum + bytesWithinShare(each), 0) <= budget) break;
      if (entry === newest || entry.bytes === 0) continue;
      released = entry.session.release() || released;
    }
    return released;
  }

  /** Sends models their limits for cached texts: the most recently used model in any case, the others if they cache more than their limit. */
  #shareTexts(): void {
    const entries = [...this.#sessions.values()];
    const shares = divideTextCache(entries, this.#memoryBudget);
    for (const [place, entry] of entries.entries()) {
      const share = shares[place] ?? 0;
      const isAffected = place === entries.length - 1 || entry.textBytes > share;
      if (!isAffected || entry.textShare === share) continue;
      entry.textShare = share;
      entry.session.setMemoryBudget(this.#memoryBudget, share);
    }
  }

  #refuseDisposed(): void {
    if (this.#isDisposed) throw engineDisposedError();
  }

  #drop(id: string, entry: ModelSession): void {
    if (this.#sessions.get(id) === entry) this.#sessions.delete(id);
    entry.session.dispose();
  }
}

const noMemory = { bytes: 0, textBytes: 0 };

function describe({ reference, loaded }: ModelSession): EngineModel {
  return { id: reference.id, reference, loaded };
}

/** The error for a second model with the same id, because requests name models by id. */
function idIsTakenError(existing: ModelReference, requested: ModelReference): ApiError {
  const differs =
    existing.url === requested.url ? "with other weights" : `from ${redactUrlSecrets(existing.url)}`;
  return new ApiError(
    `The model "${requested.id}" is loaded already, ${differs}: unload it first, or load this one as { id, url, revision, dtype } with another id.`,
    { status: 409, type: "conflict_error", code: "model_id_taken", param: "model" },
  );
}
