/**
 * Reads the layers of the shown run's steps. The engine gets one request at a time: for the selected step first, then for the
 * words in view. The page has one such store, which is made at its first use.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import { recordedLayersOf } from "../../../core/trace/model/file-layers.ts";
import type { LayersOpening } from "../../../runtime/session/page-side/layers.ts";
import { decidedLayerMark, markAt, withMark } from "../../../view/timeline/layers/decided-marks.ts";
import type { TextMarks } from "../../../view/timeline/ribbon/text-marks.ts";
import type { Stores } from "../store/stores.ts";
import { layersQuestionAt, toCachedReading } from "./layers-question.ts";
import { type CachedReading, type CacheSize, ReadingCache } from "./reading-cache.ts";
import { toCachedReadings } from "./trace-layers.ts";

/** Bytes that all cached readings may take. */
export const layersCacheBudget = 32e6;

/** The progress of reading the selected step. */
export type StepReadingProgress =
  | { readonly type: "none" }
  | { readonly type: "reading"; readonly index: number; readonly opening: LayersOpening | null }
  | { readonly type: "failed"; readonly index: number; readonly message: string };

/** The progress of reading the words of the text. */
export type TextReadingProgress =
  | { readonly type: "off" }
  | { readonly type: "reading"; readonly opening: LayersOpening | null }
  | { readonly type: "failed"; readonly message: string };

export interface LayersState {
  readonly stepProgress: StepReadingProgress;
  readonly textProgress: TextReadingProgress;
  /** The layer that decided each word of the shown run; only words whose layers were read have an entry. */
  readonly marks: TextMarks;
  /** How many tokens of the run have a mark. */
  readonly marked: number;
  /** How many layers the model of the shown run has; 0 before the first reading. */
  readonly layerCount: number;
  readonly cacheSize: CacheSize;
  /** Raised whenever the cache gains or loses a reading. */
  readonly version: number;
}

/** The activations to read when a step is shown. */
export interface StepReadingOptions {
  /** Whether to read a steered step a second time, without steering. */
  readonly beside: boolean;
  readonly keepHidden: boolean;
}

interface Task {
  readonly index: number;
  readonly isPlain: boolean;
  readonly isSelected: boolean;
}

type Marks = Pick<LayersState, "marks" | "marked" | "layerCount">;

const noMarks: Marks = { marks: new Map(), marked: 0, layerCount: 0 };

/** Milliseconds between two updates of the marks: a small model's layers are read faster than the page draws. */
const publishEveryMs = 100;

export class LayersReader {
  readonly store: StoreApi<LayersState>;
  readonly #stores: Stores;
  readonly #cache = new ReadingCache(layersCacheBudget);
  #run: string;
  /** Runs whose readings were loaded from a file. They are not loaded again, so that readings the user deleted do not return. */
  readonly #loadedFrom = new WeakSet<object>();
  /** The marks that `store` shows, or will show at the next update. */
  #marks = noMarks;
  #publishTimer: ReturnType<typeof setTimeout> | undefined;
  #selected: ({ readonly index: number } & StepReadingOptions) | null = null;
  /** Returns the token to read next for the marks; null if every token is read. */
  #nextToken: (() => number | null) | null = null;
  #current: { readonly task: Task; readonly abort: AbortController } | null = null;

  constructor(stores: Stores) {
    this.#stores = stores;
    this.#run = stores.run.getState().id;
    this.store = createStore<LayersState>()(() => ({
      stepProgress: { type: "none" },
      textProgress: { type: "off" },
      ...noMarks,
      cacheSize: this.#cache.size,
      version: 0,
    }));
    this.#showMarks();
    this.#loadFromFile();
    stores.run.subscribe(({ id, status }) => {
      if (id !== this.#run) this.#changeRun(id);
      else if (status === "running" || status === "starting") this.stop();
      this.#loadFromFile();
    });
  }

  reading(index: number, isPlain: boolean): CachedReading | null {
    return this.#cache.get(this.#run, index, isPlain);
  }

  /** Whether the token has a mark: the layer that decided the token. */
  hasMark(index: number): boolean {
    return markAt(this.#marks.marks, index) !== undefined;
  }

  /** All cached readings of the shown run. */
  get all(): readonly CachedReading[] {
    return this.#cache.ofRun(this.#run);
  }

  /** Reads a step unless its reading is cached. Stops the reading of another step. */
  readStep(index: number, way: StepReadingOptions): void {
    this.#selected = { index, ...way };
    const { stepProgress } = this.store.getState();
    if (stepProgress.type === "failed") this.store.setState({ stepProgress: { type: "none" } });
    if (this.#current?.task.isSelected && this.#current.task.index !== index) this.#current.abort.abort();
    void this.#readAll();
  }

  cancelStep(): void {
    this.#selected = null;
    if (this.#current?.task.isSelected) this.#current.abort.abort();
    this.store.setState({ stepProgress: { type: "none" } });
  }

  /** Reads the tokens that `next` returns, one by one, while no step is selected. */
  readText(next: () => number | null): void {
    this.#nextToken = next;
    this.store.setState({ textProgress: { type: "reading", opening: null } });
    void this.#readAll();
  }

  stopText(): void {
    this.#nextToken = null;
    if (this.#current && !this.#current.task.isSelected) this.#current.abort.abort();
    this.store.setState({ textProgress: { type: "off" } });
    if (this.#publishTimer !== undefined) this.#publish();
  }

  /** Stops the reading of the selected step and of the text. */
  stop(): void {
    if (this.#selected) this.cancelStep();
    if (this.#nextToken) this.stopText();
  }

  clear(): void {
    this.stop();
    this.#cache.clear();
    this.#showMarks();
  }

  #changeRun(id: string): void {
    this.stop();
    this.#run = id;
    this.#showMarks();
  }

  /** Loads the layers from the file of the shown run, once the whole run is loaded. */
  #loadFromFile(): void {
    const { trace, status } = this.#stores.run.getState();
    const layers = status === "reading" ? null : recordedLayersOf(trace);
    if (layers === null || this.#loadedFrom.has(trace)) return;
    this.#loadedFrom.add(trace);
    for (const reading of toCachedReadings(layers)) this.#cache.put(this.#run, reading);
    this.#showMarks();
  }

  async #readAll(): Promise<void> {
    if (this.#current) return;
    for (let task = this.#next(); task; task = this.#next()) {
      const abort = new AbortController();
      this.#current = { task, abort };
      try {
        await this.#read(task, abort.signal);
      } catch (cause) {
        if (!abort.signal.aborted) this.#fail(task, messageOf(cause));
      } finally {
        this.#current = null;
      }
    }
  }

  #next(): Task | null {
    const { stepProgress } = this.store.getState();
    if (this.#selected && stepProgress.type !== "failed") {
      const { index, beside, keepHidden } = this.#selected;
      for (const isPlain of beside ? [false, true] : [false]) {
        const lacksHidden = keepHidden && this.#cache.get(this.#run, index, isPlain)?.hidden === null;
        if (lacksHidden || !this.#cache.has(this.#run, index, isPlain))
          return { index, isPlain, isSelected: true };
      }
      if (stepProgress.type !== "none") this.store.setState({ stepProgress: { type: "none" } });
    }
    if (!this.#nextToken) return null;
    const index = this.#nextToken();
    if (index === null) this.stopText();
    return index === null ? null : { index, isPlain: false, isSelected: false };
  }

  async #read(task: Task, signal: AbortSignal): Promise<void> {
    const { index, isPlain, isSelected } = task;
    const run = this.#run;
    const { trace } = this.#stores.run.getState();
    const keepHidden = isSelected && (this.#selected?.keepHidden ?? false);
    const asked = layersQuestionAt(trace, index, { isPlain, keepHidden });
    if (typeof asked === "string") throw new Error(asked);
    const showProgress = (opening: LayersOpening | null) => {
      if (signal.aborted) return;
      if (isSelected) this.store.setState({ stepProgress: { type: "reading", index, opening } });
      else this.store.setState({ textProgress: { type: "reading", opening } });
    };
    showProgress(null);
    const answer = await this.#stores.engine.session.readLayers(asked.query, {
      signal,
      onOpening: showProgress,
    });
    this.#cache.put(run, toCachedReading(index, isPlain, answer));
    if (run === this.#run) this.#add(index, isPlain, isSelected);
  }

  /** Adds a reading to the marks. The store is updated at once for the selected step, otherwise a little later together with further readings. */
  #add(index: number, isPlain: boolean, isSelected: boolean): void {
    if (!isPlain) this.#mark(index);
    if (isSelected) this.#publish();
    else this.#publishTimer ??= setTimeout(() => this.#publish(), publishEveryMs);
  }

  #mark(index: number): void {
    const lines = this.#cache.get(this.#run, index, false)?.step.layers;
    if (!lines) return;
    const { trace } = this.#stores.run.getState();
    const { marks, marked, layerCount } = this.#marks;
    this.#marks = {
      marks: withMark(marks, index, decidedLayerMark(trace, index, lines)),
      marked: markAt(marks, index) ? marked : marked + 1,
      layerCount: Math.max(layerCount, lines.length),
    };
  }

  #publish(): void {
    clearTimeout(this.#publishTimer);
    this.#publishTimer = undefined;
    this.store.setState(({ version }) => ({
      ...this.#marks,
      cacheSize: this.#cache.size,
      version: version + 1,
    }));
  }

  /** Computes the marks of the shown run from the cached readings. */
  #showMarks(): void {
    this.#marks = noMarks;
    for (const { step } of this.all) if (!step.isPlain) this.#mark(step.index);
    this.#publish();
  }

  #fail({ index, isSelected }: Task, message: string): void {
    if (isSelected) this.store.setState({ stepProgress: { type: "failed", index, message } });
    else {
      this.#nextToken = null;
      this.store.setState({ textProgress: { type: "failed", message } });
    }
  }
}

const readers = new WeakMap<Stores["run"], LayersReader>();

export function layersReaderOf(stores: Stores): LayersReader {
  const known = readers.get(stores.run) ?? new LayersReader(stores);
  readers.set(stores.run, known);
  return known;
}
