/** Chooses the number of threads for a model on WebAssembly, with the reason if there is only one. */

export interface ThreadChoice {
  /** Includes the calling thread. */
  readonly threads: number;
  /** A sentence that says why only one thread computes although several could; otherwise "". */
  readonly note: string;
}

/** The metadata that decides the number of threads. */
export interface ThreadChoiceInput {
  /** `crossOriginIsolated`; undefined outside browsers. */
  readonly isIsolated: boolean | undefined;
  /** `navigator.hardwareConcurrency`; undefined if the browser does not report it. */
  readonly processors: number | undefined;
  /** Bytes of the model's files. */
  readonly modelBytes: number;
}

/**
 * With fewer bytes of weights, one thread computes alone: a step then takes a millisecond or two. Sharing it would cost as
 * much time as it saves, and would take a processor from mods and page.
 */
const leastBytes = 16e6;

/** A step of a small model mostly waits for memory, so more threads than this hardly make it faster. */
const mostThreads = 4;

/**
 * On two processors both, on more half of them, at most four: many processors are pairs on one core, and page and mods need
 * some too. One thread for small models, and if the page is not cross-origin isolated, because threads then cannot share
 * memory.
 */
export function chooseThreads({ isIsolated, processors = 1, modelBytes }: ThreadChoiceInput): ThreadChoice {
  if (modelBytes < leastBytes) return { threads: 1, note: "" };
  if (isIsolated !== true) {
    const couldBeMore = isIsolated === false && processors > 1;
    return { threads: 1, note: couldBeMore ? notIsolated : "" };
  }
  if (processors <= 2) return { threads: Math.max(1, processors), note: "" };
  return { threads: Math.min(mostThreads, Math.max(2, Math.ceil(processors / 2))), note: "" };
}

const notIsolated =
  "The model runs on one thread, because this page is not cross-origin isolated. For more threads, the page's server has to send the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.";

/** The best choice for a model of `modelBytes`, given this thread's environment. */
export function chooseThreadsHere(modelBytes: number): ThreadChoice {
  return chooseThreads({
    modelBytes,
    isIsolated: globalThis.crossOriginIsolated as boolean | undefined,
    processors: (globalThis.navigator as Navigator | undefined)?.hardwareConcurrency,
  });
}
