/** The engine's side of a session: one model and its requests, with messages as results. Requests to a local model run one after another. */
import { runSlice } from "../../../core/base/in-slices.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { ResumableWork } from "../../../core/base/resumable-work.ts";
import { needsLayers } from "../../../core/decoder/activations/needs-layers.ts";
import { decode } from "../../../core/decoder/loop/decode.ts";
import type { DecodePorts } from "../../../core/decoder/loop/decode-state.ts";
import type { ModHost } from "../../../core/decoder/ports/mod-host.ts";
import { countCopiedRecords, isSteered } from "../../../core/decoder/replay/branch-point.ts";
import { RecordedSteps } from "../../../core/decoder/replay/recorded-steps.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { serializeTokenizer } from "../../sandbox/port-mod-host.ts";
import type { PageMessage, SandboxedMod } from "../shared/protocol.ts";
import { requestRefusalOf } from "../shared/refusal.ts";
import { checkRequestLimits } from "../shared/request-limits.ts";
import type { RunRequest } from "../shared/requests.ts";
import type { RunControl } from "../shared/run-control.ts";
import { makePromptAndFormat, promptOf, toolCallFormatOf } from "./answer-format.ts";
import { checkBranchPoint } from "./branch.ts";
import { connectMods, disposeAll } from "./connect-mods.ts";
import { CurrentModel, createTokenizerBuildReporter, type ModelLease } from "./current-model.ts";
import { decodeRequestOf, traceModelInfoOf } from "./decode-request.ts";
import type { EngineOptions } from "./engine-options.ts";
import { LayerReadingJobs } from "./layer-readings.ts";
import { createPromptMaker, toPromptToken } from "./prompt-maker.ts";
import { RecordBatch } from "./record-batch.ts";
import { RunControlRegistry } from "./run-controls.ts";
import { VerificationTokenizerLoader } from "./verification-tokenizer.ts";
import { requestOfTrace, verifyRecordedRequest } from "./verify-record.ts";
import { WorkQueue } from "./work-queue.ts";

type LoadMessage = Extract<PageMessage, { type: "load" }>;
type RunMessage = Extract<PageMessage, { type: "run" }>;
type VerifyMessage = Extract<PageMessage, { type: "verify" }>;
type TokenizeMessage = Extract<PageMessage, { type: "tokenize" }>;

/** Milliseconds of prompt making after which messages are received. */
const promptSliceMs = 50;

/** A load that has not ended. */
interface Load {
  readonly controller: AbortController;
  hasStarted: boolean;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #model: CurrentModel;
  readonly #readings: LayerReadingJobs;
  readonly #verificationTokenizer = new VerificationTokenizerLoader();
  /** Loads that run or wait, by id. */
  readonly #loads = new Map<number, Load>();
  readonly #controls = new RunControlRegistry();
  readonly #work: WorkQueue;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#model = new CurrentModel(options);
    this.#readings = new LayerReadingJobs(options, this.#model);
    this.#work = new WorkQueue(options.reportBug);
  }

  receive(message: PageMessage): void {
    switch (message.type) {
      case "load":
        // The user chose another model, so every load that runs or waits is cancelled.
        for (const id of this.#loads.keys()) this.#cancelLoad(id);
        this.#loads.set(message.id, { controller: new AbortController(), hasStarted: false });
        this.#work.addAlone(() => this.#load(message));
        return;
      case "cancelLoad":
        this.#cancelLoad(message.id);
        return;
      case "setHubAccess":
        this.#model.hubAccess = message.access;
        return;
      case "setServerAccess":
        this.#model.serverAccess = message.access;
        return;
      case "setMemoryBudget":
        this.#model.setBudget(message.bytes, message.textBytes);
        this.#addShared(() => this.#model.fit());
        return;
      case "run":
        this.#addShared(this.#prepareRun(message));
        return;
      case "verify":
        this.#work.addAlone(this.#prepareVerify(message));
        return;
      case "tokenize":
        // `#tokenize` needs only the tokenizer. It does not wait for requests, one of which may be paused, but it waits for
        // loads, which bring the tokenizer.
        if (this.#loads.size > 0) this.#addShared(() => this.#tokenize(message));
        else void this.#tokenize(message);
        return;
      case "readLayers":
        this.#addShared(this.#readings.prepare(message));
        return;
      case "cancelReading":
        this.#readings.cancel(message.id);
        return;
      default:
        this.#controls.receive(message);
    }
  }

  /** Ends all work that runs or waits, then frees all models. Settles when all work has ended. */
  dispose(): Promise<void> {
    for (const id of this.#loads.keys()) this.#cancelLoad(id);
    this.#controls.stopAll();
    this.#readings.cancelAll();
    this.#work.addAlone(() => this.#model.freeAll());
    return this.#work.ended();
  }

  /** Queues work that needs the model. Such work runs at the same time if the model supports several conversations. */
  #addShared(work: () => Promise<void>): void {
    this.#work.add(work, () => this.#hasConversations);
  }

  /** Whether the model runs on a server, with several conversations. */
  get #hasConversations(): boolean {
    return this.#model.loaded?.bundle.startConversation !== undefined;
  }

  #cancelLoad(id: number): void {
    const load = this.#loads.get(id);
    if (!load) return;
    load.controller.abort();
    if (load.hasStarted) return;
    this.#loads.delete(id);
    this.#options.send({ type: "loadFailed", id, message: "Loading was cancelled.", cancelled: true });
  }

  async #load(message: LoadMessage): Promise<void> {
    const { send } = this.#options;
    const { id } = message;
    const load = this.#loads.get(id);
    if (!load) return;
    load.hasStarted = true;
    const { signal } = load.controller;
    try {
      send({ type: "loadStarted", id });
      const loaded = await this.#model.load(message, signal);
      const { info, tokenizerData } = loaded.bundle;
      const model = { ...info, toolCalls: toolCallFormatOf(loaded.bundle) };
      send({ type: "loaded", id, model, tokenizer: serializeTokenizer(tokenizerData) });
    } catch (error) {
      // The page never heard of this model, so the model is freed.
      await this.#model.drop();
      send({ type: "loadFailed", id, message: messageOf(error), cancelled: signal.aborted });
    } finally {
      this.#loads.delete(id);
      this.#model.tell();
    }
  }

  #prepareRun({ request, guests, commands }: RunMessage): () => Promise<void> {
    const { send, now, turn } = this.#options;
    const { requestId } = request;
    const records = new RecordBatch((batch) => {
      send({ type: "records", requestId, records: batch });
      // The text of a local model grows its cache.
      if (!this.#hasConversations) this.#model.tell();
    });
    const flush = () => records.flush();
    const replayed = request.branchPoint ? countCopiedRecords(request.branchPoint) : 0;
    const control = this.#controls.create(requestId, { turn, now, onTurn: flush, send, replayed });
    for (const command of commands) this.#controls.receive(command);
    return async () => {
      send({ type: "began", of: requestId });
      try {
        // If the request was stopped while it waited, no prompt is made.
        control.signal.throwIfAborted();
        await this.#run(request, guests, control, (record) => {
          records.add(record);
          control.see(record);
        });
        flush();
      } catch (error) {
        const stopped = control.signal.aborted && error === control.signal.reason;
        send({
          type: "runFailed",
          requestId,
          message: messageOf(error),
          refusal: requestRefusalOf(error),
          stopped,
        });
      } finally {
        this.#controls.delete(requestId);
        send({ type: "ended", of: requestId });
        // The text's cache may have grown so that all models together exceed the memory budget.
        await this.#model.fit();
      }
    };
  }

  async #run(
    request: RunRequest,
    guests: readonly SandboxedMod[],
    control: RunControl,
    record: (record: TraceRecord) => void,
  ): Promise<void> {
    const { bundle, choice } = this.#model.get();
    checkRequestLimits(request);
    checkBranchPoint(request, traceModelInfoOf(bundle.info, choice.model));
    const { send } = this.#options;
    const { branchPoint } = request;
    const { tokenizerData } = bundle;
    const mods = await connectMods({ request, guests, tokenizerData, signal: control.signal, send });
    let conversation: ModelLease | null = null;
    try {
      // A prompt that is too long may be allowed only if a mod handles `prefilled` and so could shorten it.
      const mayShorten = mods.some(({ handles }) => handles.has("prefilled"));
      const steps = makePromptAndFormat(request, bundle, mayShorten ? undefined : bundle.info.capacity);
      const { prompt, host, reasoning } = await this.#makePrompt(request.requestId, steps, control.signal);
      if (host) mods.push(host);
      const readsActivations = needsLayers(mods) || (branchPoint !== undefined && isSteered(branchPoint));
      // The needs of the mods are known after the mods have loaded.
      const loaded = readsActivations
        ? await this.#model.withLayers(request.requestId, control.signal)
        : this.#model.get();
      conversation = this.#model.startConversation(loaded);
      const ports: DecodePorts = {
        kvCache: conversation.kvCache,
        tokenizer: loaded.bundle.tokenizer,
        prompts: createPromptMaker(request, bundle, (promptSteps) =>
          this.#makePrompt(request.requestId, promptSteps, control.signal),
        ),
        mods,
        record,
        now: this.#options.now,
        signal: control.signal,
        pausePoint: (at, onWait) => control.pausePoint(at, onWait),
        pausedMs: () => control.pausedMs(),
        onCatchUp: (share) => control.caughtUp(share),
        promptLookup: request.promptLookup,
      };
      const { layers } = loaded.bundle.model;
      const model = traceModelInfoOf(loaded.bundle.info, choice.model, readsActivations ? layers : undefined);
      const runFields = { prompt, reasoning, model, createdAt: this.#options.date() };
      await decode(
        decodeRequestOf(request, host, runFields),
        ports,
        branchPoint && new RecordedSteps(branchPoint),
      );
    } finally {
      disposeAll(mods);
      await conversation?.end();
    }
  }

  #prepareVerify({ request, guests }: VerifyMessage): () => Promise<void> {
    const { send, now, turn } = this.#options;
    const { requestId, records } = request;
    const control = this.#controls.create(requestId, { turn, now, onTurn() {}, send });
    return async () => {
      const { signal } = control;
      let mods: readonly ModHost[] = [];
      send({ type: "began", of: requestId });
      try {
        signal.throwIfAborted();
        const { model, seed } = requestOfTrace(records);
        const bundle = await this.#verificationTokenizer.load(
          request.model,
          model.vocabularySize,
          this.#model.loaded,
          {
            signal,
            aroundTokenizer: createTokenizerBuildReporter(send, requestId),
          },
        );
        const { tokenizerData } = bundle;
        mods = await connectMods({ request: { ...request, seed }, guests, tokenizerData, signal, send });
        const makePrompt = <Made>(steps: ResumableWork<Made>) => this.#makePrompt(requestId, steps, signal);
        const verification = await verifyRecordedRequest(request, { bundle, mods, now, signal, makePrompt });
        send({ type: "verified", requestId, verification });
      } catch (error) {
        send({ type: "runFailed", requestId, message: messageOf(error), refusal: requestRefusalOf(error) });
      } finally {
        disposeAll(mods);
        this.#controls.delete(requestId);
        send({ type: "ended", of: requestId });
      }
    };
  }

  /**
   * Makes a prompt in slices of time. Between slices, stops and other messages are received. Tells the page when the work
   * begins and ends, because a hostile chat template may never end. @throws the signal's reason when it is aborted
   */
  async #makePrompt<Made>(
    of: string | number,
    steps: ResumableWork<Made>,
    signal?: AbortSignal,
  ): Promise<Made> {
    const { send, turn } = this.#options;
    send({ type: "promptStarted", of });
    try {
      for (;;) {
        const slice = runSlice(steps, promptSliceMs);
        if (slice.done) return slice.value;
        await turn();
        signal?.throwIfAborted();
      }
    } finally {
      send({ type: "promptEnded", of });
    }
  }

  async #tokenize({ id, prompt }: TokenizeMessage): Promise<void> {
    const { send } = this.#options;
    send({ type: "began", of: id });
    try {
      const { bundle } = this.#model.get();
      const promptTokens = await this.#makePrompt(id, promptOf(prompt, bundle));
      send({
        type: "tokenized",
        id,
        tokens: promptTokens.map((token) => toPromptToken(token, bundle.tokenizer)),
      });
    } catch (error) {
      send({ type: "tokenizeFailed", id, message: messageOf(error) });
    } finally {
      send({ type: "ended", of: id });
    }
  }
}
