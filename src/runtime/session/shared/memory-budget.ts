/** How much memory loaded models may take together, and what is to be told of what they take. */
import type { CacheMemory } from "../../../core/decoder/ports/language-model.ts";

/** What the models of an engine take of the device's memory. */
export interface EngineMemory {
  /** Of all models that are loaded, and of one that is about to be. */
  readonly bytes: number;
  readonly modelCount: number;
  /** Of texts that are kept beside the present ones, and are let go before any model is; part of `bytes`. */
  readonly textBytes: number;
  /** The most that they may take together; see SessionOptions. */
  readonly budgetBytes: number;
  /**
   * Of the model that requests go to; null while there is none. `cache` is null where it is not known. `lensBytes`: part of `bytes`,
   * of weights that are held a second time since its layers were opened; absent where they were not.
   */
  readonly model: {
    readonly bytes: number;
    readonly cache: CacheMemory | null;
    readonly lensBytes?: number;
  } | null;
}

/** Browsers tell no more than 8 GB of memory, and not all tell it. */
const leastUnknownBytes = 4e9;

/** What the browser tells of the device's memory, in bytes; null where it does not. */
export function deviceMemoryBytes(navigator: object | undefined = globalThis.navigator): number | null {
  const gigabytes = (navigator as { readonly deviceMemory?: unknown } | undefined)?.deviceMemory;
  return typeof gigabytes === "number" && gigabytes > 0 ? gigabytes * 1e9 : null;
}

/** Half of the device's memory where the browser says how much it has; the page and the other tabs have the rest. */
export function defaultMemoryBudget(navigator?: object): number {
  const bytes = deviceMemoryBytes(navigator);
  return bytes === null ? leastUnknownBytes : bytes / 2;
}

/** The part of a budget that texts may take which are kept (see `KvCache.prefixes`). */
export function textShareOf(budgetBytes: number): number {
  return budgetBytes / 8;
}

/** Runtimes name the lack of memory in words of their own. */
export function isMemoryMessage(message: string): boolean {
  return /memory|bad_alloc|allocat/i.test(message);
}
