/** How many threads a model computes on in WebAssembly, and why no more. */

export interface ThreadChoice {
  /** The calling one included. */
  readonly threads: number;
  /** A sentence that says why there is one thread although there could be several; empty otherwise. */
  readonly note: string;
}

/** The metadata that decides the number of threads. */
export interface ThreadMetadata {
  /** `crossOriginIsolated`; undefined outside browsers. */
  readonly isIsolated: boolean | undefined;
  /** `navigator.hardwareConcurrency`; undefined if it is not told. */
  readonly processors: number | undefined;
  /** Bytes of the model's files. */
  readonly modelBytes: number;
}

/**
 * Bytes of weights below which one thread computes alone: a step then takes a millisecond or two, and sharing it would cost what
 * it saves, and a processor that mods and page need.
 */
const leastBytes = 16e6;

/** A step of a small model waits for memory more than for arithmetic: more threads than this hardly make it faster. */
const mostThreads = 4;

/**
 * Both of two processors, and of more of them half, four at most: many are pairs of one core, and the page and mods need some
 * too. One for small models, and where the page is not cross-origin isolated, since its threads could not share the model's
 * memory.
 */
export function chooseThreads({ isIsolated, processors = 1, modelBytes }: ThreadMetadata): ThreadChoice {
  if (modelBytes < leastBytes) return { threads: 1, note: "" };
  if (isIsolated !== true) {
    const couldBeMore = isIsolated === false && processors > 1;
    return { threads: 1, note: couldBeMore ? notIsolated : "" };
  }
  if (processors <= 2) return { threads: Math.max(1, processors), note: "" };
  return { threads: Math.min(mostThreads, Math.max(2, Math.ceil(processors / 2))), note: "" };
}

const notIsolated =
  "It runs on one thread, because this page is not cross-origin isolated. For more threads, its server has to send the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp.";

/** The best choice for a model of so many bytes, as far as this thread's surroundings allow. */
export function threadsHere(modelBytes: number): ThreadChoice {
  return chooseThreads({
    modelBytes,
    isIsolated: globalThis.crossOriginIsolated as boolean | undefined,
    processors: (globalThis.navigator as Navigator | undefined)?.hardwareConcurrency,
  });
}
