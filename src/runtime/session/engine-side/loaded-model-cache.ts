/** Keeps models loaded while their memory fits a budget, so that switching back to one takes no time. */
import { messageOf } from "../../../core/base/message-of.ts";
import { KvCache } from "../../../core/decoder/kv-cache/kv-cache.ts";
import type { DevicePreference, ModelReference } from "../../engine/base/model-reference.ts";
import type { PickedFiles } from "../../engine/files/files-source.ts";
import { layersStayClosedError } from "../../engine/graph/layered-graph.ts";
import type { ModelBundle } from "../../engine/load/load-model.ts";
import { cachedTextBudget, type EngineMemory, isOutOfMemoryMessage } from "../shared/memory-budget.ts";

/** The requested model. */
export interface RequestedModel {
  readonly model: ModelReference;
  readonly device: DevicePreference;
}

export interface LoadedModelEntry {
  readonly bundle: ModelBundle;
  readonly kvCache: KvCache;
  readonly choice: RequestedModel;
  /** The user's picked files from which it was loaded. */
  readonly files?: PickedFiles | undefined;
}

type Load = (makeRoom: (bytes: number) => Promise<void>) => Promise<ModelBundle>;

interface LoadChoice extends RequestedModel, Pick<LoadedModelEntry, "files"> {
  /** Whether the model must have open layers. */
  readonly openLayers?: boolean | undefined;
}

export class LoadedModelCache {
  #budgetBytes: number;
  #textBudgetBytes: number;
  /** In the order of their last use, the latest last. */
  readonly #loaded: LoadedModelEntry[] = [];

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
    this.#textBudgetBytes = cachedTextBudget(budgetBytes);
  }

  /** Sets the budget. If the models exceed it, the next `fit` frees some. `textBytes`: the part for cached texts. */
  setBudget(bytes: number, textBytes: number = cachedTextBudget(bytes)): void {
    this.#budgetBytes = bytes;
    this.#textBudgetBytes = textBytes;
  }

  /**
   * Returns the model of this choice, and marks it as used last: a loaded model, or else the result of `load`. `load` must
   * call `makeRoom` before it allocates memory. Rejects with the error of `load`. A loaded model is loaded again if the user
   * picked `files`, if it runs on a server, or if `openLayers` is set and its layers are closed.
   */
  async load(
    { model, device, files, openLayers }: LoadChoice,
    signal: AbortSignal,
    load: Load,
  ): Promise<LoadedModelEntry> {
    const choice = { model, device };
    const existing = this.#loaded.find((each) => keyOf(each.choice) === keyOf(choice));
    // Picked files may be different files with the same names, and a server may now have another key or model.
    const mayDiffer = files !== undefined || model.server !== undefined;
    const reusable =
      existing && !mayDiffer && (!openLayers || existing.bundle.model.layers) ? existing : null;
    if (existing && !reusable) await this.free(existing);
    if (reusable) this.#loaded.splice(this.#loaded.indexOf(reusable), 1);
    // Only the model in use may keep cached texts: those of all other models are freed.
    for (const { kvCache } of this.#loaded) kvCache.prefixes?.free();
    const loaded =
      reusable ??
      (await this.#loadAnew({ choice, files }, signal, () => load((bytes) => this.makeRoom(bytes))));
    this.#loaded.push(loaded);
    // A model's heap is larger than the files that were loaded into it.
    await this.fit();
    return loaded;
  }

  /**
   * Replaces a model with the one that `load` returns, whose layers are open. The closed model is freed after the new one is
   * loaded, or before if the budget is too small for both. Rejects with the error of `load`, or with UnsupportedGraphError if the new model has no open layers.
   */
  async open(closed: LoadedModelEntry, signal: AbortSignal, load: Load): Promise<LoadedModelEntry> {
    const makeRoom = (bytes: number) => {
      // The closed model's cached texts cannot be reused.
      if (this.bytes + bytes > this.#budgetBytes) closed.kvCache.prefixes?.free();
      return this.makeRoom(bytes);
    };
    const opened = await this.#loadAnew(closed, signal, async () => {
      const bundle = await load(makeRoom);
      if (bundle.model.layers) return bundle;
      await bundle.model.dispose();
      throw layersStayClosedError(
        bundle.info.file || "this model",
        "the model was loaded in a way that gives no access to its layers",
      );
    });
    if (this.has(closed)) await this.free(closed);
    this.#loaded.push(opened);
    await this.fit();
    return opened;
  }

  has(loaded: LoadedModelEntry): boolean {
    return this.#loaded.includes(loaded);
  }

  /** If all models together exceed the budget, frees cached texts first, then the models that were used longest ago. The model used last stays. */
  async fit(): Promise<void> {
    const isOverBudget = this.bytes > this.#budgetBytes;
    for (const { kvCache } of this.#loaded) isOverBudget ? kvCache.prefixes?.free() : kvCache.prefixes?.fit();
    while (this.#loaded[1] && this.#loaded[0] && this.bytes > this.#budgetBytes)
      await this.free(this.#loaded[0]);
  }

  async #loadAnew(
    { choice, files }: Pick<LoadedModelEntry, "choice" | "files">,
    signal: AbortSignal,
    load: () => Promise<ModelBundle>,
  ): Promise<LoadedModelEntry> {
    const bundle = await load().catch(async (error: unknown) => {
      // The amount of free memory is unknown. If loading ran out of memory, all other models are freed, and the model is
      // loaded again.
      if (signal.aborted || !isMemoryError(error) || !(await this.freeAll())) throw error;
      return load();
    });
    const kvCache: KvCache = new KvCache(bundle.model, { prefixBudget: () => this.#prefixBudget(kvCache) });
    return { bundle, kvCache, choice, files };
  }

  /** Bytes of cached texts that a model may keep in addition to its current text, so that no other model must be freed. */
  #prefixBudget({ prefixes }: KvCache): number {
    const free = this.#budgetBytes - this.bytes + (prefixes?.bytes ?? 0);
    return Math.max(0, Math.min(this.#textBudgetBytes, free));
  }

  /** Bytes of all loaded models. */
  get bytes(): number {
    return this.#loaded.reduce((sum, loaded) => sum + memoryBytesOf(loaded), 0);
  }

  /** @param used the model that requests use @param coming bytes of a model that is about to be loaded */
  memory(used: LoadedModelEntry | null, coming: number): EngineMemory {
    return {
      bytes: this.bytes + coming,
      textBytes: this.#loaded.reduce((sum, { kvCache }) => sum + (kvCache.prefixes?.bytes ?? 0), 0),
      modelCount: this.#loaded.length,
      budgetBytes: this.#budgetBytes,
      model: used && memoryOf(used),
    };
  }

  /** Frees the models that were used longest ago until `bytes` more bytes fit the budget, or no model is left. */
  async makeRoom(bytes: number): Promise<void> {
    while (this.#loaded[0] && this.bytes + bytes > this.#budgetBytes) await this.free(this.#loaded[0]);
  }

  /** Returns whether any model was loaded. */
  async freeAll(): Promise<boolean> {
    const all = [...this.#loaded];
    for (const loaded of all) await this.free(loaded);
    return all.length > 0;
  }

  async free(loaded: LoadedModelEntry): Promise<void> {
    const at = this.#loaded.indexOf(loaded);
    if (at >= 0) this.#loaded.splice(at, 1);
    try {
      await loaded.bundle.model.dispose();
    } catch {
      // A lost device may refuse to free a model that it no longer has. Such an error must not keep another model from
      // loading.
    }
  }
}

function isMemoryError(error: unknown): boolean {
  return error instanceof RangeError || isOutOfMemoryMessage(messageOf(error));
}

/** The memory that the model reports, its cache included; if the model reports none, its weights, lens, cache and cached texts. */
export function memoryBytesOf({
  bundle: { model, info, lensBytes = 0 },
  kvCache: { prefixes },
}: LoadedModelEntry): number {
  const weights = info.bytes + lensBytes;
  return model.memoryBytes ?? weights + (model.cacheMemory?.bytes ?? 0) + (prefixes?.bytes ?? 0);
}

function memoryOf(used: LoadedModelEntry): EngineMemory["model"] {
  const { model, lensBytes } = used.bundle;
  const memory = { bytes: memoryBytesOf(used), cache: model.cacheMemory ?? null };
  return lensBytes === undefined ? memory : { ...memory, lensBytes };
}

function keyOf({ model: { id, url, revision, dtype, server }, device }: RequestedModel): string {
  return JSON.stringify([id, url, revision, dtype.webgpu, dtype.wasm, server, device]);
}
