/** Tells what an engine's models take of memory, whenever it has changed. */

import type { EngineMemory } from "../shared/memory-budget.ts";
import { bytesOf, type Loaded, type LoadedModelCache } from "./loaded-model-cache.ts";

export class MemoryReport {
  readonly #models: LoadedModelCache;
  readonly #send: (memory: EngineMemory) => void;
  #caughtUp = "";

  constructor(models: LoadedModelCache, send: (memory: EngineMemory) => void) {
    this.#models = models;
    this.#send = send;
  }

  /** @param used the model that requests go to. @param coming bytes of a model that is about to be loaded. */
  tell(used: Loaded | null, coming = 0): void {
    const memory: EngineMemory = {
      bytes: this.#models.bytes + coming,
      textBytes: this.#models.textBytes,
      modelCount: this.#models.count,
      budgetBytes: this.#models.budgetBytes,
      model: used && memoryOf(used),
    };
    const caughtUp = JSON.stringify(memory);
    if (caughtUp === this.#caughtUp) return;
    this.#caughtUp = caughtUp;
    this.#send(memory);
  }
}

function memoryOf(used: Loaded): EngineMemory["model"] {
  const { model, lensBytes } = used.parts;
  const memory = { bytes: bytesOf(used), cache: model.cacheMemory ?? null };
  return lensBytes === undefined ? memory : { ...memory, lensBytes };
}
