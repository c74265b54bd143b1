/**
 * Reads the layers of the shown run's steps. The engine gets one request at a time: for the selected step first, then for the
 * words in view. The page has one such store, which is made at its first use.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { messageOf } from "../../../core/base/message-of.ts";
import { fileLayers } from "../../../core/trace/model/file-layers.ts";
import type { LayersOpening } from "../../../runtime/session/page-side/layers.ts";
import { decidedMark, markAt, withMark } from "../../../view/timeline/layers/decided-marks.ts";
import type { TextMarks } from "../../../view/timeline/ribbon/text-marks.ts";
import type { Stores } from "../store/stores.ts";
import { questionAt, toCachedReading } from "./layers-question.ts";
import { type CachedReading, type CacheSize, ReadingCache } from "./reading-cache.ts";
import { readingsOf } from "./trace-layers.ts";

/** Bytes that all cached readings may take. */
export const layersBudget = 32e6;

/** The progress of reading the selected step. */
export type Look =
  | { readonly type: "none" }
  | { readonly type: "reading"; readonly index: number; readonly opening: LayersOpening | null }
  | { readonly type: "failed"; readonly index: number; readonly message: string };

/** The progress of reading the words of the text. */
export type Sweep =
  | { readonly type: "off" }
  | { readonly type: "reading"; readonly opening: LayersOpening | null }
  | { readonly type: "failed"; readonly message: string };

export interface LayersState {
  readonly look: Look;
  readonly sweep: Sweep;
  /** The layer that decided each word of the shown run; only words whose layers were read have an entry. */
  readonly marks: TextMarks;
  /** How many of its tokens have a mark. */
  readonly marked: number;
  /** How many layers the model of the shown run has; 0 before the first reading. */
  readonly layerCount: number;
  readonly kept: CacheSize;
  /** Raised whenever the cache gains or loses a reading. */
  readonly version: number;
}

/** The activations to read when a step is shown. */
export interface StepReading {
  /** Whether to read a steered step a second time, without steering. */
  readonly beside: boolean;
  readonly keepHidden: boolean;
}

interface Task {
  readonly index: number;
  readonly isPlain: boolean;
  readonly isLook: boolean;
}

type Found = Pick<LayersState, "marks" | "marked" | "layerCount">;

const nothingFound: Found = { marks: new Map(), marked: 0, layerCount: 0 };

/** Milliseconds between two updates of the marks: a small model's layers are read faster than the page draws. */
const tellEveryMs = 100;

export class LayersReader {
  readonly store: StoreApi<LayersState>;
  readonly #stores: Stores;
  readonly #cache = new ReadingCache(layersBudget);
  #run: string;
  /** Runs whose readings were loaded from a file. They are not loaded again, so that readings the user deleted do not return. */
  readonly #taken = new WeakSet<object>();
  /** The layers that `store` has of the step, or is about to have. */
  #found = nothingFound;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #looked: ({ readonly index: number } & StepReading) | null = null;
  /** Returns the token to read next for the marks; null if every token is read. */
  #sweepNext: (() => number | null) | null = null;
  #going: { readonly task: Task; readonly abort: AbortController } | null = null;

  constructor(stores: Stores) {
    this.#stores = stores;
    this.#run = stores.run.getState().id;
    this.store = createStore<LayersState>()(() => ({
      look: { type: "none" },
      sweep: { type: "off" },
      ...nothingFound,
      kept: this.#cache.size,
      version: 0,
    }));
    this.#showMarks();
    this.#takeFromFile();
    stores.run.subscribe(({ id, status }) => {
      if (id !== this.#run) this.#changeRun(id);
      else if (status === "running" || status === "starting") this.stop();
      this.#takeFromFile();
    });
  }

  reading(index: number, isPlain: boolean): CachedReading | null {
    return this.#cache.get(this.#run, index, isPlain);
  }

  /** Whether the token has a mark: the layer that decided the token. */
  hasMark(index: number): boolean {
    return markAt(this.#found.marks, index) !== undefined;
  }

  /** All cached readings of the shown run. */
  get all(): readonly CachedReading[] {
    return this.#cache.ofRun(this.#run);
  }

  /** Reads a step unless its reading is cached. Stops the reading of another step. */
  look(index: number, way: StepReading): void {
    this.#looked = { index, ...way };
    const { look } = this.store.getState();
    if (look.type === "failed") this.store.setState({ look: { type: "none" } });
    if (this.#going?.task.isLook && this.#going.task.index !== index) this.#going.abort.abort();
    void this.#goOn();
  }

  cancelLook(): void {
    this.#looked = null;
    if (this.#going?.task.isLook) this.#going.abort.abort();
    this.store.setState({ look: { type: "none" } });
  }

  /** Reads the tokens that `next` returns, one by one, while no step is selected. */
  sweep(next: () => number | null): void {
    this.#sweepNext = next;
    this.store.setState({ sweep: { type: "reading", opening: null } });
    void this.#goOn();
  }

  stopSweep(): void {
    this.#sweepNext = null;
    if (this.#going && !this.#going.task.isLook) this.#going.abort.abort();
    this.store.setState({ sweep: { type: "off" } });
    if (this.#telling !== undefined) this.#tell();
  }

  /** Stops the current reading. */
  stop(): void {
    if (this.#looked) this.cancelLook();
    if (this.#sweepNext) this.stopSweep();
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
  #takeFromFile(): void {
    const { trace, status } = this.#stores.run.getState();
    const layers = status === "reading" ? null : fileLayers(trace);
    if (layers === null || this.#taken.has(trace)) return;
    this.#taken.add(trace);
    for (const reading of readingsOf(layers)) this.#cache.put(this.#run, reading);
    this.#showMarks();
  }

  async #goOn(): Promise<void> {
    if (this.#going) return;
    for (let task = this.#next(); task; task = this.#next()) {
      const abort = new AbortController();
      this.#going = { task, abort };
      try {
        await this.#read(task, abort.signal);
      } catch (cause) {
        if (!abort.signal.aborted) this.#fail(task, messageOf(cause));
      } finally {
        this.#going = null;
      }
    }
  }

  #next(): Task | null {
    const { look } = this.store.getState();
    if (this.#looked && look.type !== "failed") {
      const { index, beside, keepHidden } = this.#looked;
      for (const isPlain of beside ? [false, true] : [false]) {
        const lacksHidden = keepHidden && this.#cache.get(this.#run, index, isPlain)?.hidden === null;
        if (lacksHidden || !this.#cache.has(this.#run, index, isPlain))
          return { index, isPlain, isLook: true };
      }
      if (look.type !== "none") this.store.setState({ look: { type: "none" } });
    }
    if (!this.#sweepNext) return null;
    const index = this.#sweepNext();
    if (index === null) this.stopSweep();
    return index === null ? null : { index, isPlain: false, isLook: false };
  }

  async #read(task: Task, signal: AbortSignal): Promise<void> {
    const { index, isPlain, isLook } = task;
    const run = this.#run;
    const { trace } = this.#stores.run.getState();
    const keepHidden = isLook && (this.#looked?.keepHidden ?? false);
    const asked = questionAt(trace, index, { isPlain, keepHidden });
    if (typeof asked === "string") throw new Error(asked);
    const tell = (opening: LayersOpening | null) => {
      if (signal.aborted) return;
      if (isLook) this.store.setState({ look: { type: "reading", index, opening } });
      else this.store.setState({ sweep: { type: "reading", opening } });
    };
    tell(null);
    const answer = await this.#stores.engine.session.readLayers(asked.query, { signal, onOpening: tell });
    this.#cache.put(run, toCachedReading(index, isPlain, answer));
    if (run === this.#run) this.#add(index, isPlain, isLook);
  }

  /** Takes what was read into the marks, and tells of it: at once where it is looked at, else a little later, with what comes meanwhile. */
  #add(index: number, isPlain: boolean, isLook: boolean): void {
    if (!isPlain) this.#mark(index);
    if (isLook) this.#tell();
    else this.#telling ??= setTimeout(() => this.#tell(), tellEveryMs);
  }

  #mark(index: number): void {
    const lines = this.#cache.get(this.#run, index, false)?.step.layers;
    if (!lines) return;
    const { trace } = this.#stores.run.getState();
    const { marks, marked, layerCount } = this.#found;
    this.#found = {
      marks: withMark(marks, index, decidedMark(trace, index, lines)),
      marked: markAt(marks, index) ? marked : marked + 1,
      layerCount: Math.max(layerCount, lines.length),
    };
  }

  #tell(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.store.setState(({ version }) => ({ ...this.#found, kept: this.#cache.size, version: version + 1 }));
  }

  /** Computes the marks of the shown run from the cached readings. */
  #showMarks(): void {
    this.#found = nothingFound;
    for (const { step } of this.all) if (!step.isPlain) this.#mark(step.index);
    this.#tell();
  }

  #fail({ index, isLook }: Task, message: string): void {
    if (isLook) this.store.setState({ look: { type: "failed", index, message } });
    else {
      this.#sweepNext = null;
      this.store.setState({ sweep: { type: "failed", message } });
    }
  }
}

const readers = new WeakMap<Stores["run"], LayersReader>();

export function layersReader(stores: Stores): LayersReader {
  const known = readers.get(stores.run) ?? new LayersReader(stores);
  readers.set(stores.run, known);
  return known;
}
