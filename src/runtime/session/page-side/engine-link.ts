/**
 * The page's end of the connection to an engine, which runs in a worker, in the page itself, or in another page. Opens the
 * connection, asks the engine to load models and to tokenize prompts, and records whether a model is loaded there. After a
 * failed load, a failed request or the end of the engine, the next call works again.
 */

import { untilAborted } from "../../../core/base/abort.ts";
import type { HubAccess } from "../../../core/base/hub-token.ts";
import { importProgramPart } from "../../../core/base/import-part.ts";
import type { ServerAccess } from "../../../core/base/server-access.ts";
import type { Transferred } from "../../../core/base/transferred.ts";
import type { LayersQuery } from "../../../core/decoder/activations/layers-query.ts";
import type { LoadedModel, LoadOptions } from "../shared/loading.ts";
import type { DevicePreference, EngineMessage, ModelReference, PageMessage } from "../shared/protocol.ts";
import type { PromptRequest, PromptToken } from "../shared/requests.ts";
import type { EngineTransport } from "../shared/transport.ts";
import type { EngineLinkOptions } from "./engine-link-options.ts";
import type { LayersReadingWithTexts, ReadLayersOptions } from "./layers.ts";
import { createLoadCall, type WantedModel } from "./link-loads.ts";
import { promptTimeoutError, stoppedWithWorkerError, tokenizerTimeoutError } from "./run-failure.ts";
import { type StuckReason, StuckWorkWatch, tokenizerDeadlineMs, type WorkId } from "./work-watch.ts";
import { WorkerCalls } from "./worker-calls.ts";

const restartReasons: Readonly<Record<StuckReason, string>> = {
  cancelled: "work that was cancelled did not end in time",
  prompt: "the model's chat template or tokenizer did not finish a prompt",
  tokenizer: "a model's tokenizer or chat template did not load in time",
};

export class EngineLink {
  readonly #options: EngineLinkOptions;
  #transport: EngineTransport | null = null;
  #hubAccess: HubAccess | null;
  #serverAccess: ServerAccess | null = null;
  #memoryBudget: Omit<Extract<PageMessage, { type: "setMemoryBudget" }>, "type"> | null;
  readonly #calls: WorkerCalls;
  /**
   * The choice of the last load that succeeded, for `restoreModel`; `#isModelLoaded` says whether the worker still has that model.
   * Null before the first load and while another choice is being loaded.
   */
  #wantedModel: WantedModel | null = null;
  #isModelLoaded = false;
  #reloading: Promise<void> | null = null;
  #nextId = 1;
  readonly #watch: StuckWorkWatch;

  constructor(options: EngineLinkOptions) {
    this.#options = options;
    this.#memoryBudget = options.memoryBudget === undefined ? null : { bytes: options.memoryBudget };
    this.#hubAccess = options.hubAccess ?? null;
    this.#watch = new StuckWorkWatch({
      graceMs: options.cancelGraceMs,
      promptDeadlineMs: options.promptDeadlineMs,
      onStuck: (of, why) => this.#endStuckWorker(of, why),
    });
    this.#calls = new WorkerCalls({
      post: (message) => this.post(message),
      onCancel: (id) => this.#watch.cancel(id),
    });
  }

  /**
   * Loads a model. Rejects with an AbortError as soon as `options.signal` aborts, and with a readable Error if loading
   * fails.
   */
  async load(model: ModelReference, device: DevicePreference, options: LoadOptions): Promise<LoadedModel> {
    this.#wantedModel = null;
    const { files, openLayers } = options;
    const wanted = { model, device, files, openLayers };
    const loaded = await this.#calls.make(createLoadCall(this.#nextId++, wanted, options));
    this.#wantedModel = wanted;
    return loaded;
  }

  /** Loads the last model again if it is no longer loaded. @throws Error that says why loading failed */
  async restoreModel(): Promise<void> {
    const wanted = this.#wantedModel;
    if (!wanted || this.#isModelLoaded) return;
    const unheard = { onProgress: () => {}, signal: new AbortController().signal };
    this.#reloading ??= this.#calls
      .make(createLoadCall(this.#nextId++, wanted, unheard))
      .then(() => undefined)
      .finally(() => {
        this.#reloading = null;
      });
    await this.#reloading;
  }

  /** The prompt as the model sees it. Rejects with an AbortError as soon as `signal` aborts. */
  async tokenize(prompt: PromptRequest, signal?: AbortSignal): Promise<readonly PromptToken[]> {
    await untilAborted(this.restoreModel(), signal);
    const { createPromptCall } = await importProgramPart(
      "The prompt viewer",
      () => import("./link-prompts.ts"),
      "createPromptCall",
    );
    return this.#calls.make(createPromptCall(this.#nextId++, prompt, signal));
  }

  /** Rejects with an AbortError as soon as `options.signal` aborts, and with a RequestRefusedError if the query names a place or layer that does not exist. */
  async readLayers(query: LayersQuery, options: ReadLayersOptions): Promise<LayersReadingWithTexts> {
    await untilAborted(this.restoreModel(), options.signal);
    const { createReadLayersCall } = await importProgramPart(
      "The layer reader",
      () => import("./link-readings.ts"),
      "createReadLayersCall",
    );
    return this.#calls.make(createReadLayersCall(this.#nextId++, query, options));
  }

  /**
   * Stops a request that was sent to the worker. If the worker does not end the request in time, the worker is replaced.
   * @returns whether the worker has begun the request; if not, the worker will skip it, and the caller need not wait.
   */
  stop(requestId: string): boolean {
    this.post({ type: "stop", requestId });
    this.#watch.cancel(requestId);
    return this.#watch.hasBegun(requestId);
  }

  /** Sends a message to the worker. The first message starts the worker. */
  post(message: PageMessage, transfer: Transferred[] = []): void {
    this.#transport ??= this.#open();
    this.#transport.post(message, transfer);
  }

  setHubAccess(access: HubAccess | null): void {
    this.#hubAccess = access;
    this.#transport?.post({ type: "setHubAccess", access }, []);
  }

  setServerAccess(access: ServerAccess | null): void {
    this.#serverAccess = access;
    this.#transport?.post({ type: "setServerAccess", access }, []);
  }

  /** Bytes; see SessionOptions. */
  setMemoryBudget(bytes: number, textBytes?: number): void {
    this.#memoryBudget = { bytes, textBytes };
    this.#transport?.post({ type: "setMemoryBudget", bytes, textBytes }, []);
  }

  /** Ends the worker if no load, tokenization or reading waits for it. The next call starts a new one. @returns whether it was ended */
  release(): boolean {
    if (this.#calls.count > 0) return false;
    this.#endWorker();
    return true;
  }

  /** Ends the worker. Every load, tokenization, reading and request that waits for it fails with `error`. */
  close(error: Error): void {
    this.#endWorker();
    this.#calls.failAll(error);
    this.#options.onWorkerGone(error, false);
  }

  /** Ends the worker because it hangs in this work. */
  #endStuckWorker(of: WorkId, why: StuckReason): void {
    const error = this.#errorOf(why);
    if (typeof of === "string") this.#options.onRunEvent({ type: "lost", requestId: of, error });
    else this.#calls.fail(of, error);
    this.#replaceWorker(restartReasons[why]);
  }

  #errorOf(why: StuckReason): Error {
    const { promptDeadlineMs } = this.#options;
    if (why === "cancelled") return stoppedWithWorkerError();
    if (why === "prompt") return promptTimeoutError(promptDeadlineMs);
    return tokenizerTimeoutError(tokenizerDeadlineMs(promptDeadlineMs));
  }

  /**
   * Starts a new worker. It gets every load that was not cancelled and every tokenization without a result.
   * @param why the reason for ending the old worker
   */
  #replaceWorker(why: string): void {
    this.#endWorker();
    const error = new Error(`The engine was restarted because ${why}. Run again.`);
    this.#calls.replaceWorker(error);
    this.#options.onWorkerGone(error, true);
  }

  #open(): EngineTransport {
    const transport = this.#options.openTransport();
    transport.onMessage = (message) => this.#receive(message);
    transport.onEnd = (why) => this.close(new Error(`The engine stopped: ${why}. Run again.`));
    if (this.#hubAccess) transport.post({ type: "setHubAccess", access: this.#hubAccess }, []);
    if (this.#serverAccess) transport.post({ type: "setServerAccess", access: this.#serverAccess }, []);
    if (this.#memoryBudget) transport.post({ type: "setMemoryBudget", ...this.#memoryBudget }, []);
    return transport;
  }

  #endWorker(): void {
    this.#transport?.close();
    this.#transport = null;
    this.#watch.reset();
    this.#options.onMemory(null);
    this.#loseModel();
  }

  #loseModel(): void {
    if (!this.#isModelLoaded) return;
    this.#isModelLoaded = false;
    this.#options.onModelGone();
  }

  #receive(message: EngineMessage): void {
    switch (message.type) {
      case "loadStarted":
      case "loaded":
      case "loadFailed":
        this.#receiveLoad(message);
        return;
      case "progress":
      case "tokenized":
      case "tokenizeFailed":
      case "placeRead":
      case "layersRead":
      case "readingFailed":
        this.#calls.receive(message);
        return;
      case "began":
        this.#watch.begin(message.of);
        return;
      case "ended":
        this.#watch.end(message.of);
        return;
      case "promptStarted":
        this.#watch.beginPrompt(message.of);
        return;
      case "promptEnded":
      case "tokenizerEnded":
        this.#watch.endPrompt(message.of);
        return;
      case "tokenizerStarted":
        this.#watch.beginTokenizer(message.of);
        return;
      case "opening": {
        const { of, opening } = message;
        if (typeof of === "number") this.#calls.tellOpening(of, opening);
        else this.#options.onRunEvent({ type: "opening", requestId: of, opening });
        return;
      }
      case "modelGone":
        this.#loseModel();
        return;
      case "notice":
        this.#options.onNotice(message.notice);
        return;
      case "memory":
        this.#options.onMemory(message.memory);
        return;
      case "records":
        this.#watch.seePasses(message.records);
        this.#options.onRunEvent(message);
        return;
      case "paused":
      case "caughtUp":
      case "verified":
      case "killMod":
      case "runFailed":
        this.#options.onRunEvent(message);
        return;
    }
  }
  #receiveLoad(message: Extract<EngineMessage, { type: "loadStarted" | "loaded" | "loadFailed" }>): void {
    if (message.type === "loadStarted") {
      // The worker no longer uses the previous model. `onModelGone` is not called, because the user asked for another model.
      this.#isModelLoaded = false;
      this.#watch.begin(message.id);
      this.#watch.forgetPasses();
    } else {
      this.#watch.end(message.id);
    }
    if (message.type === "loaded") {
      this.#isModelLoaded = true;
      this.#options.onTokenizer(message.tokenizer);
    }
    this.#calls.receive(message);
  }
}
