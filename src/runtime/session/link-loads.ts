/** The page's end of loads that the engine has not answered. */
import type { LoadOptions } from "./load-options.ts";
import type { EngineMessage, LoadedModel, PageMessage } from "./protocol.ts";

type LoadMessage = Extract<PageMessage, { type: "load" }>;

/** The model and the device that the user asked for. */
export type Wanted = Pick<LoadMessage, "model" | "device" | "files" | "openLayers">;

interface Load {
  readonly message: LoadMessage;
  readonly options: LoadOptions;
  resolve(model: LoadedModel): void;
  reject(error: Error): void;
  isCancelled: boolean;
}

export interface LinkLoadsOptions {
  post(message: PageMessage): void;
  /** A load was cancelled, and the engine has not ended it: a slow shader compiler or a hostile tokenizer can keep it from ever reading the cancel. */
  onCancel(id: number): void;
}

export class LinkLoads {
  readonly #options: LinkLoadsOptions;
  /** Oldest first. */
  readonly #loads = new Map<number, Load>();

  constructor(options: LinkLoadsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#loads.size;
  }

  /** Rejects with an AbortError as soon as `options.signal` aborts, and with a readable Error when loading fails. */
  async load(id: number, wanted: Wanted, options: LoadOptions): Promise<LoadedModel> {
    const { model, device, files, openLayers } = wanted;
    const { signal } = options;
    const cancel = () => this.#cancel(id);
    const loaded = new Promise<LoadedModel>((resolve, reject) => {
      signal.throwIfAborted();
      const message = {
        ...({ type: "load", id, model, device } as const),
        ...(files && { files }),
        ...(openLayers && { openLayers }),
      };
      this.#loads.set(id, { message, options, resolve, reject, isCancelled: false });
      signal.addEventListener("abort", cancel);
      this.#options.post(message);
    });
    return loaded.finally(() => signal.removeEventListener("abort", cancel));
  }

  #cancel(id: number): void {
    const load = this.#loads.get(id);
    if (!load) return;
    load.isCancelled = true;
    load.reject(cancelled());
    this.#options.post({ type: "cancelLoad", id });
    this.#options.onCancel(id);
  }

  receive(
    message: Extract<EngineMessage, { type: "loadStarted" | "progress" | "loaded" | "loadFailed" }>,
  ): void {
    const load = this.#loads.get(message.id);
    if (!load) return;
    switch (message.type) {
      case "loadStarted":
        if (!load.isCancelled) load.options.onStart?.();
        return;
      case "progress":
        if (!load.isCancelled) load.options.onProgress(message.progress);
        return;
      case "loaded":
        this.#loads.delete(message.id);
        load.resolve(message.model);
        return;
      case "loadFailed":
        this.#loads.delete(message.id);
        load.reject(message.cancelled ? cancelled() : new Error(message.message));
        return;
    }
  }

  /** To another worker, those that were not cancelled. */
  postAgain(): void {
    const loads = [...this.#loads.values()].filter(({ isCancelled }) => !isCancelled);
    this.#loads.clear();
    for (const load of loads) {
      this.#loads.set(load.message.id, load);
      this.#options.post(load.message);
    }
  }

  /** This load alone. */
  fail(id: number, error: Error): void {
    this.#loads.get(id)?.reject(error);
    this.#loads.delete(id);
  }

  failAll(error: Error): void {
    for (const { reject } of this.#loads.values()) reject(error);
    this.#loads.clear();
  }
}

function cancelled(): DOMException {
  return new DOMException("Loading was cancelled.", "AbortError");
}
