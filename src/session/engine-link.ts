/**
 * The page's end of an engine, wherever that is: in a worker, in the page itself, or in another page. It opens the line, asks
 * the engine to load models and to tokenize prompts, and keeps track of whether a model is loaded there. After a failed load,
 * a failed request or the end of the engine, the next call works again.
 */
import type { EngineLinkOptions } from "./engine-link-options.ts";
import type { LoadOptions } from "./load-options.ts";
import { type PromptOwner, PromptWatch } from "./prompt-watch.ts";
import type {
  DevicePreference,
  EngineMessage,
  LoadedModel,
  ModelReference,
  PageMessage,
  PromptRequest,
} from "./protocol.ts";
import type { EngineTransport } from "./transport.ts";

export interface PromptToken {
  readonly token: number;
  readonly text: string;
}

interface Load {
  readonly message: Extract<PageMessage, { type: "load" }>;
  readonly options: LoadOptions;
  resolve(model: LoadedModel): void;
  reject(error: Error): void;
  hasStarted: boolean;
  isCancelled: boolean;
}

interface Tokenizing {
  readonly message: Extract<PageMessage, { type: "tokenize" }>;
  resolve(tokens: readonly PromptToken[]): void;
  reject(error: Error): void;
}

/** The model and the device that the user asked for last. */
type Wanted = Pick<Load["message"], "model" | "device" | "files">;

export class EngineLink {
  readonly #options: EngineLinkOptions;
  #transport: EngineTransport | null = null;
  #memoryBudget: Omit<Extract<PageMessage, { type: "setMemoryBudget" }>, "type"> | null;
  /** Loads that the worker has not answered, oldest first. */
  readonly #loads = new Map<number, Load>();
  readonly #tokenizing = new Map<number, Tokenizing>();
  /**
   * The choice of the last load that succeeded, for `restoreModel`; `#isThere` says whether the worker still has that
   * model. Null before the first load and while a load of another choice is under way.
   */
  #wanted: Wanted | null = null;
  #isThere = false;
  #reloading: Promise<void> | null = null;
  #nextId = 1;
  readonly #prompts: PromptWatch;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#memoryBudget = options.memoryBudget === undefined ? null : { bytes: options.memoryBudget };
    this.#prompts = new PromptWatch({
      deadlineMs: options.promptDeadlineMs,
      graceMs: options.cancelGraceMs,
      onStuck: (owner, error) => this.#losePrompt(owner, error),
    });
  }

  /**
   * Loads a model. Rejects with an AbortError as soon as `options.signal` aborts, and with a readable Error when loading
   * fails.
   */
  async load(model: ModelReference, device: DevicePreference, options: LoadOptions): Promise<LoadedModel> {
    this.#wanted = null;
    const wanted = { model, device, files: options.files };
    const loaded = await this.#load(wanted, options);
    this.#wanted = wanted;
    return loaded;
  }

  /** Loads the last model again where it is gone. @throws Error that says why that failed. */
  async restoreModel(): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || this.#isThere) return;
    this.#reloading ??= this.#load(wanted, { onProgress: () => {}, signal: new AbortController().signal })
      .then(() => undefined)
      .finally(() => {
        this.#reloading = null;
      });
    await this.#reloading;
  }

  /** The prompt as the model sees it. Rejects with an AbortError as soon as `signal` aborts. */
  async tokenize(prompt: PromptRequest, signal?: AbortSignal): Promise<readonly PromptToken[]> {
    await this.restoreModel();
    const id = this.#nextId++;
    const cancel = () => {
      this.#prompts.cancel(id);
      this.#take(this.#tokenizing, id)?.reject(cancelled("Showing the prompt"));
    };
    const tokens = new Promise<readonly PromptToken[]>((resolve, reject) => {
      signal?.throwIfAborted();
      const message = { type: "tokenize", id, prompt } as const;
      this.#tokenizing.set(id, { message, resolve, reject });
      signal?.addEventListener("abort", cancel);
      this.post(message);
    });
    return tokens.finally(() => signal?.removeEventListener("abort", cancel));
  }

  /** Stops a request that was posted. */
  stop(requestId: string): void {
    this.post({ type: "stop", requestId });
    this.#prompts.cancel(requestId);
  }

  /** Sends a message to the worker. The first message starts the worker. */
  post(message: PageMessage, transfer: Transferable[] = []): void {
    this.#transport ??= this.#open();
    this.#transport.post(message, transfer);
  }

  /** Bytes; see SessionOptions. */
  setMemoryBudget(bytes: number, textBytes?: number): void {
    this.#memoryBudget = { bytes, textBytes };
    this.#transport?.post({ type: "setMemoryBudget", bytes, textBytes }, []);
  }

  /** Ends the worker where no load or tokenization waits for it. The next call starts another one. @returns whether it did */
  release(): boolean {
    if (this.#loads.size + this.#tokenizing.size > 0) return false;
    this.#endWorker();
    return true;
  }

  /** Ends the worker. Every load, tokenization and request that waits for it ends with `error`. */
  close(error: Error): void {
    this.#endWorker();
    for (const { reject } of [...this.#loads.values(), ...this.#tokenizing.values()]) reject(error);
    this.#loads.clear();
    this.#tokenizing.clear();
    this.#options.onWorkerGone(error, false);
  }

  #load({ model, device, files }: Wanted, options: LoadOptions): Promise<LoadedModel> {
    const id = this.#nextId++;
    const { signal } = options;
    const cancel = () => this.#cancel(id);
    const loaded = new Promise<LoadedModel>((resolve, reject) => {
      signal.throwIfAborted();
      const message = { ...({ type: "load", id, model, device } as const), ...(files && { files }) };
      this.#loads.set(id, { message, options, resolve, reject, hasStarted: false, isCancelled: false });
      signal.addEventListener("abort", cancel);
      this.post(message);
    });
    return loaded.finally(() => signal.removeEventListener("abort", cancel));
  }

  #cancel(id: number): void {
    const load = this.#loads.get(id);
    if (!load) return;
    load.isCancelled = true;
    load.reject(cancelled("Loading"));
    this.post({ type: "cancelLoad", id });
    if (load.hasStarted) this.#watch(id);
  }

  /**
   * Replaces the worker if it has not answered a cancel after `cancelGraceMs`. A slow shader compiler or a hostile tokenizer
   * can keep the worker from ever reading the cancel.
   */
  #watch(id: number): void {
    setTimeout(() => {
      if (this.#loads.has(id)) this.#replaceWorker("a load that was cancelled did not end");
    }, this.#options.cancelGraceMs);
  }

  /** Ends the worker that hangs in a prompt. */
  #losePrompt(owner: PromptOwner, error: Error): void {
    if (typeof owner === "number") this.#take(this.#tokenizing, owner)?.reject(error);
    else this.#options.onRunEvent({ type: "promptLost", requestId: owner, error });
    this.#replaceWorker("the model's chat template or tokenizer did not end a prompt");
  }

  /**
   * Starts another worker, which gets every load that was not cancelled and every tokenization that was not answered.
   * @param why of the worker that goes
   */
  #replaceWorker(why: string): void {
    this.#endWorker();
    const loads = [...this.#loads.values()].filter(({ isCancelled }) => !isCancelled);
    this.#loads.clear();
    for (const load of loads) {
      load.hasStarted = false;
      this.#loads.set(load.message.id, load);
      this.post(load.message);
    }
    for (const { message } of this.#tokenizing.values()) this.post(message);
    this.#options.onWorkerGone(new Error(`The engine was started anew, because ${why}. Run again.`), true);
  }

  #open(): EngineTransport {
    const transport = this.#options.openTransport();
    transport.onMessage = (message) => this.#receive(message);
    transport.onEnd = (why) => this.close(new Error(`The engine stopped: ${why}. Run again.`));
    if (this.#memoryBudget) transport.post({ type: "setMemoryBudget", ...this.#memoryBudget }, []);
    return transport;
  }

  #endWorker(): void {
    this.#transport?.close();
    this.#transport = null;
    this.#prompts.reset();
    this.#options.onMemory(null);
    this.#loseModel();
  }

  #loseModel(): void {
    if (!this.#isThere) return;
    this.#isThere = false;
    this.#options.onModelGone();
  }

  #receive(message: EngineMessage): void {
    switch (message.type) {
      case "loadStarted": {
        const load = this.#loads.get(message.id);
        // The worker has disposed of the model before this one. `onModelGone` is not called, because the user asked for
        // another model.
        this.#isThere = false;
        if (!load) return;
        load.hasStarted = true;
        if (load.isCancelled) this.#watch(message.id);
        else load.options.onStart?.();
        return;
      }
      case "progress": {
        const load = this.#loads.get(message.id);
        if (load && !load.isCancelled) load.options.onProgress(message.progress);
        return;
      }
      case "loaded": {
        const load = this.#take(this.#loads, message.id);
        this.#isThere = true;
        this.#options.onTokenizer(message.tokenizer);
        load?.resolve(message.model);
        return;
      }
      case "loadFailed":
        this.#take(this.#loads, message.id)?.reject(
          message.cancelled ? cancelled("Loading") : new Error(message.message),
        );
        return;
      case "tokenized":
        this.#take(this.#tokenizing, message.id)?.resolve(message.tokens);
        return;
      case "tokenizeFailed":
        this.#take(this.#tokenizing, message.id)?.reject(new Error(message.message));
        return;
      case "promptStarted":
        this.#prompts.begin(message.of);
        return;
      case "promptEnded":
        this.#prompts.end(message.of);
        return;
      case "modelGone":
        this.#loseModel();
        return;
      case "memory":
        this.#options.onMemory(message.memory);
        return;
      case "records":
      case "paused":
      case "told":
      case "verified":
      case "killMod":
      case "runFailed":
        this.#options.onRunEvent(message);
        return;
    }
  }

  #take<Entry>(from: Map<number, Entry>, id: number): Entry | undefined {
    const entry = from.get(id);
    from.delete(id);
    return entry;
  }
}

function cancelled(what: string): DOMException {
  return new DOMException(`${what} was cancelled.`, "AbortError");
}
