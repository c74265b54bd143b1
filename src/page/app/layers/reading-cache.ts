/** A cache of read layers, up to a budget of memory: the least recently used entry is dropped first. Pure. */
import type { TraceLayersStep } from "../../../core/trace/format/format-layers.ts";

/** The predictions of the layers at one token of a run, with the hidden states if the user asked for them. */
export interface CachedReading {
  readonly step: Omit<TraceLayersStep, "hidden">;
  /** `(layers, hiddenSize)` */
  readonly hidden: Float32Array | null;
  readonly hiddenSize: number;
}

export interface CacheSize {
  /** Number of tokens with a cached reading. */
  readonly tokens: number;
  /** Estimated size in bytes. */
  readonly bytes: number;
}

/** Bytes that a list or an object, and a line or token with its numbers, take in the browsers that were looked at. */
const bytesOfLine = 72;
const bytesOfToken = 56;

export function bytesOfReading({ step, hidden }: CachedReading): number {
  let bytes = bytesOfLine + (hidden?.byteLength ?? 0);
  for (const { top } of step.layers) {
    bytes += bytesOfLine;
    for (const { text } of top) bytes += bytesOfToken + 2 * text.length;
  }
  return bytes;
}

interface Entry {
  readonly run: string;
  readonly reading: CachedReading;
  readonly bytes: number;
}

export class ReadingCache {
  readonly #budget: number;
  /** The least recently used entry first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /** `budget`: bytes. A reading above the budget stays as the only entry, because the user is looking at that reading. */
  constructor(budget: number) {
    this.#budget = budget;
  }

  get(run: string, index: number, isPlain: boolean): CachedReading | null {
    const key = keyOf(run, index, isPlain);
    const entry = this.#entries.get(key);
    if (!entry) return null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.reading;
  }

  /** Whether the reading is cached. Does not count as a use. */
  has(run: string, index: number, isPlain: boolean): boolean {
    return this.#entries.has(keyOf(run, index, isPlain));
  }

  put(run: string, reading: CachedReading): void {
    const { index, isPlain } = reading.step;
    this.#drop(keyOf(run, index, isPlain));
    const entry = { run, reading, bytes: bytesOfReading(reading) };
    this.#entries.set(keyOf(run, index, isPlain), entry);
    this.#bytes += entry.bytes;
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#budget || this.#entries.size === 1) return;
      this.#drop(key);
    }
  }

  /** All readings of a run by token; for each token the steered reading comes before the plain one. */
  ofRun(run: string): readonly CachedReading[] {
    return [...this.#entries.values()]
      .filter((entry) => entry.run === run)
      .map(({ reading }) => reading)
      .sort(
        (one, other) =>
          one.step.index - other.step.index || Number(one.step.isPlain) - Number(other.step.isPlain),
      );
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  get size(): CacheSize {
    const tokens = new Set(
      [...this.#entries.values()].map(({ run, reading }) => `${reading.step.index} ${run}`),
    );
    return { tokens: tokens.size, bytes: this.#bytes };
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

const keyOf = (run: string, index: number, isPlain: boolean): string => `${isPlain} ${index} ${run}`;
