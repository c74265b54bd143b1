/** The memory budget that all loaded models share, and the report of what they use. */
import type { CacheMemory } from "../../../core/decoder/ports/language-model.ts";

/** The memory of an engine's models. */
export interface EngineMemory {
  /** Bytes of all loaded models, and of a model that is about to be loaded. */
  readonly bytes: number;
  readonly modelCount: number;
  /** Bytes of cached texts, which are freed before any model; part of `bytes`. */
  readonly textBytes: number;
  /** The most bytes that the models may use together; see SessionOptions. */
  readonly budgetBytes: number;
  /**
   * The model that requests use; null if there is none. `cache` is null if it is unknown. `lensBytes`: the part of
   * `bytes` for weights that are held twice because the layers were opened; absent if they were not.
   */
  readonly model: {
    readonly bytes: number;
    readonly cache: CacheMemory | null;
    readonly lensBytes?: number;
  } | null;
}

/** The budget, in bytes, if the browser does not report the device's memory. Browsers report at most 8 GB. */
const leastUnknownBytes = 4e9;

/** The device's memory as the browser reports it, in bytes; null if it reports none. */
export function deviceMemoryBytes(navigator: object | undefined = globalThis.navigator): number | null {
  const gigabytes = (navigator as { readonly deviceMemory?: unknown } | undefined)?.deviceMemory;
  return typeof gigabytes === "number" && gigabytes > 0 ? gigabytes * 1e9 : null;
}

/** Half of the device's memory, if the browser reports it; the rest is for the page and other tabs. */
export function defaultMemoryBudget(navigator?: object): number {
  const bytes = deviceMemoryBytes(navigator);
  return bytes === null ? leastUnknownBytes : bytes / 2;
}

/** The part of a budget for cached texts (see `KvCache.prefixes`). */
export function cachedTextBudget(budgetBytes: number): number {
  return budgetBytes / 8;
}

/** Each runtime has its own words for a lack of memory. */
export function isOutOfMemoryMessage(message: string): boolean {
  return /memory|bad_alloc|allocat/i.test(message);
}
