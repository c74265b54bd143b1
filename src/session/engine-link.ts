/**
 * The page's end of an engine, wherever that is: in a worker, in the page itself, or in another page. It opens the line, asks
 * the engine to load models and to tokenize prompts, and keeps track of whether a model is loaded there. After a failed load,
 * a failed request or the end of the engine, the next call works again.
 */
import { importPart } from "../base/import-part.ts";
import type { LayersQuery } from "../decoder/layers-query.ts";
import type { HubAccess } from "../engine/hub-access.ts";
import type { EngineLinkOptions } from "./engine-link-options.ts";
import { LinkLoads, type Wanted } from "./link-loads.ts";
import type { LinkPrompts, PromptToken } from "./link-prompts.ts";
import type { LinkReadings, NamedReading, ReadLayersOptions } from "./link-readings.ts";
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

export class EngineLink {
  readonly #options: EngineLinkOptions;
  #transport: EngineTransport | null = null;
  #hubAccess: HubAccess | null;
  #memoryBudget: Omit<Extract<PageMessage, { type: "setMemoryBudget" }>, "type"> | null;
  readonly #loads: LinkLoads;
  /**
   * The choice of the last load that succeeded, for `restoreModel`; `#isThere` says whether the worker still has that
   * model. Null before the first load and while a load of another choice is under way.
   */
  #wanted: Wanted | null = null;
  #isThere = false;
  #reloading: Promise<void> | null = null;
  #nextId = 1;
  readonly #prompts: PromptWatch;
  readonly #openings: PromptWatch;
  /** Null until the first is asked for: most pages never do. */
  #shownPrompts: LinkPrompts | null = null;
  #readings: LinkReadings | null = null;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#memoryBudget = options.memoryBudget === undefined ? null : { bytes: options.memoryBudget };
    this.#hubAccess = options.hubAccess ?? null;
    const graceMs = options.cancelGraceMs;
    this.#loads = new LinkLoads({
      graceMs,
      post: (message) => this.post(message),
      onStuck: () => this.#replaceWorker("a load that was cancelled did not end"),
    });
    this.#prompts = new PromptWatch({
      ...{ graceMs, deadlineMs: options.promptDeadlineMs },
      onStuck: (owner, error) =>
        this.#lose(owner, error, "the model's chat template or tokenizer did not end a prompt"),
    });
    this.#openings = new PromptWatch({
      ...{ graceMs, deadlineMs: null },
      onStuck: (owner, error) =>
        this.#lose(owner, error, "opening the model's layers was stopped and went on"),
    });
  }

  /**
   * Loads a model. Rejects with an AbortError as soon as `options.signal` aborts, and with a readable Error when loading
   * fails.
   */
  async load(model: ModelReference, device: DevicePreference, options: LoadOptions): Promise<LoadedModel> {
    this.#wanted = null;
    const { files, openLayers } = options;
    const wanted = { model, device, files, openLayers };
    const loaded = await this.#loads.load(this.#nextId++, wanted, options);
    this.#wanted = wanted;
    return loaded;
  }

  /** Loads the last model again where it is gone. @throws Error that says why that failed. */
  async restoreModel(): Promise<void> {
    const wanted = this.#wanted;
    if (!wanted || this.#isThere) return;
    const unheard = { onProgress: () => {}, signal: new AbortController().signal };
    this.#reloading ??= this.#loads
      .load(this.#nextId++, wanted, unheard)
      .then(() => undefined)
      .finally(() => {
        this.#reloading = null;
      });
    await this.#reloading;
  }

  /** The prompt as the model sees it. Rejects with an AbortError as soon as `signal` aborts. */
  async tokenize(prompt: PromptRequest, signal?: AbortSignal): Promise<readonly PromptToken[]> {
    await this.restoreModel();
    const { LinkPrompts } = await importPart(
      "What shows prompts",
      () => import("./link-prompts.ts"),
      "LinkPrompts",
    );
    signal?.throwIfAborted();
    this.#shownPrompts ??= new LinkPrompts((message) => this.post(message));
    const id = this.#nextId++;
    return this.#shownPrompts.tokenize(id, prompt, signal, () => this.#prompts.cancel(id));
  }

  /** Rejects with an AbortError as soon as `options.signal` aborts, and with a RequestRefusedError where the query asks for what there is not. */
  async readLayers(query: LayersQuery, options: ReadLayersOptions): Promise<NamedReading> {
    await this.restoreModel();
    const { LinkReadings } = await importPart(
      "What reads layers",
      () => import("./link-readings.ts"),
      "LinkReadings",
    );
    options.signal?.throwIfAborted();
    this.#readings ??= new LinkReadings((message) => this.post(message));
    const id = this.#nextId++;
    return this.#readings.read(id, query, options, () => this.#cancelOpening(id));
  }

  /** Stops a request that was posted. */
  stop(requestId: string): void {
    this.post({ type: "stop", requestId });
    this.#prompts.cancel(requestId);
    this.#cancelOpening(requestId);
  }

  #cancelOpening(owner: PromptOwner): void {
    if (this.#openings.current === owner) this.#openings.cancel(owner);
  }

  /** Sends a message to the worker. The first message starts the worker. */
  post(message: PageMessage, transfer: Transferable[] = []): void {
    this.#transport ??= this.#open();
    this.#transport.post(message, transfer);
  }

  /** Bytes; see SessionOptions. */
  setHubAccess(access: HubAccess | null): void {
    this.#hubAccess = access;
    this.#transport?.post({ type: "setHubAccess", access }, []);
  }

  setMemoryBudget(bytes: number, textBytes?: number): void {
    this.#memoryBudget = { bytes, textBytes };
    this.#transport?.post({ type: "setMemoryBudget", bytes, textBytes }, []);
  }

  /** Ends the worker where no load, tokenization or reading waits for it. The next call starts another one. @returns whether it did */
  release(): boolean {
    if (this.#loads.count + (this.#shownPrompts?.count ?? 0) + (this.#readings?.count ?? 0) > 0) return false;
    this.#endWorker();
    return true;
  }

  /** Ends the worker. Every load, tokenization, reading and request that waits for it ends with `error`. */
  close(error: Error): void {
    this.#endWorker();
    this.#loads.failAll(error);
    this.#shownPrompts?.failAll(error);
    this.#readings?.failAll(error);
    this.#options.onWorkerGone(error, false);
  }

  /** Ends the worker that hangs in what `owner` asked for. */
  #lose(owner: PromptOwner, error: Error, why: string): void {
    if (typeof owner === "string") this.#options.onRunEvent({ type: "promptLost", requestId: owner, error });
    else this.#shownPrompts?.fail(owner, error);
    this.#replaceWorker(why);
  }

  /**
   * Starts another worker, which gets every load that was not cancelled and every tokenization that was not answered.
   * @param why of the worker that goes
   */
  #replaceWorker(why: string): void {
    this.#endWorker();
    this.#loads.postAgain();
    this.#shownPrompts?.postAgain();
    const error = new Error(`The engine was started anew, because ${why}. Run again.`);
    this.#readings?.failAll(error);
    this.#options.onWorkerGone(error, true);
  }

  #open(): EngineTransport {
    const transport = this.#options.openTransport();
    transport.onMessage = (message) => this.#receive(message);
    transport.onEnd = (why) => this.close(new Error(`The engine stopped: ${why}. Run again.`));
    if (this.#hubAccess) transport.post({ type: "setHubAccess", access: this.#hubAccess }, []);
    if (this.#memoryBudget) transport.post({ type: "setMemoryBudget", ...this.#memoryBudget }, []);
    return transport;
  }

  #endWorker(): void {
    this.#transport?.close();
    this.#transport = null;
    this.#prompts.reset();
    this.#openings.reset();
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
      case "loadStarted":
        // The worker has disposed of the model before this one. `onModelGone` is not called, because the user asked for
        // another model.
        this.#isThere = false;
        this.#loads.receive(message);
        return;
      case "loaded":
        this.#isThere = true;
        this.#options.onTokenizer(message.tokenizer);
        this.#loads.receive(message);
        return;
      case "progress":
      case "loadFailed":
        this.#loads.receive(message);
        return;
      case "tokenized":
      case "tokenizeFailed":
        this.#shownPrompts?.receive(message);
        return;
      case "promptStarted":
        this.#prompts.begin(message.of);
        return;
      case "promptEnded":
        this.#prompts.end(message.of);
        return;
      case "opening": {
        const { of, opening } = message;
        if (opening === null) this.#openings.end(of);
        else if (this.#openings.current !== of) this.#openings.begin(of);
        if (typeof of === "number") this.#readings?.tellOpening(of, opening);
        else this.#options.onRunEvent({ type: "opening", requestId: of, opening });
        return;
      }
      case "placeRead":
      case "layersRead":
      case "readingFailed":
        this.#readings?.receive(message);
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
}
