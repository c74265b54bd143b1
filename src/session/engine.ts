/** The engine's side of a session: one model, one request at a time, answers as messages. */
import { decode } from "../decoder/decode.ts";
import type { DecodePorts } from "../decoder/decode-state.ts";
import { KvCache } from "../decoder/kv-cache.ts";
import type { ModHost } from "../decoder/mod-host.ts";
import type { DecodeRequest } from "../decoder/request.ts";
import type { loadModel, ModelBundle } from "../engine/load-model.ts";
import { connectModHost, tokenizerText } from "../sandbox/port-mod-host.ts";
import type { TraceRecord } from "../trace/format.ts";
import { answerFormat, promptOf } from "./answer-format.ts";
import type { EngineMessage, GuestPort, PageMessage, RunRequest } from "./protocol.ts";
import { createRunControl, type RunControl } from "./run-control.ts";
import { createYield } from "./yield-control.ts";

export interface EngineOptions {
  readonly loadModel: typeof loadModel;
  readonly send: (message: EngineMessage) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Milliseconds since 1970. */
  readonly date: () => number;
}

type LoadMessage = Extract<PageMessage, { type: "load" }>;
type RunMessage = Extract<PageMessage, { type: "run" }>;

interface Loaded {
  readonly parts: ModelBundle;
  readonly kvCache: KvCache;
  readonly message: LoadMessage;
}

export class Engine {
  readonly #options: EngineOptions;
  readonly #turn = createYield();
  #loaded: Loaded | null = null;
  #loading: { readonly id: number; readonly controller: AbortController } | null = null;
  /** Of requests that run or wait, so that one can be stopped before its turn. */
  readonly #controls = new Map<string, RunControl>();
  /** Requests and loads wait for one another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  receive(message: PageMessage): void {
    switch (message.type) {
      case "load":
        this.#loading?.controller.abort();
        this.#queue(() => this.#load(message));
        return;
      case "cancelLoad":
        if (this.#loading?.id === message.id) this.#loading.controller.abort();
        return;
      case "run":
        this.#queue(this.#prepareRun(message));
        return;
      case "tokenize":
        this.#queue(async () => this.#tokenize(message));
        return;
      case "stop":
      case "pause":
      case "resume":
      case "stepOnce":
        this.#controls.get(message.requestId)?.[message.type]();
        return;
    }
  }

  #queue(work: () => Promise<void>): void {
    this.#last = this.#last.then(work);
  }

  async #load(message: LoadMessage): Promise<void> {
    const { send } = this.#options;
    const controller = new AbortController();
    this.#loading = { id: message.id, controller };
    try {
      const { info, tokenizerData } = await this.#replaceModel(message, controller.signal);
      send({ type: "loaded", id: message.id, model: info, tokenizer: tokenizerText(tokenizerData) });
    } catch (error) {
      const cancelled = controller.signal.aborted;
      send({ type: "loadFailed", id: message.id, message: messageOf(error), cancelled });
    } finally {
      this.#loading = null;
    }
  }

  /** The old model goes first: two do not always fit the memory. */
  async #replaceModel(message: LoadMessage, signal?: AbortSignal): Promise<ModelBundle> {
    const old = this.#loaded;
    this.#loaded = null;
    await old?.parts.model.dispose();
    const parts = await this.#options.loadModel(message.model, message.device, {
      signal,
      onProgress: (progress) => this.#options.send({ type: "progress", id: message.id, progress }),
    });
    this.#loaded = { parts, kvCache: new KvCache(parts.model), message };
    return parts;
  }

  /** The loaded model, alive. @throws Error when there is none. */
  async #livingModel(): Promise<Loaded> {
    // The runtime failed under it.
    if (this.#loaded?.kvCache.hasFailed) await this.#replaceModel(this.#loaded.message);
    if (!this.#loaded) throw new Error("No model is loaded. Choose one, and run again.");
    return this.#loaded;
  }

  #prepareRun({ request, guests }: RunMessage): () => Promise<void> {
    const { send, now } = this.#options;
    const { requestId } = request;
    const records: TraceRecord[] = [];
    const flush = () => {
      if (records.length > 0) send({ type: "records", requestId, records: records.splice(0) });
    };
    const control = createRunControl(this.#turn, now, flush);
    this.#controls.set(requestId, control);
    return async () => {
      try {
        await this.#run(request, guests, control, (record) => records.push(record));
        flush();
      } catch (error) {
        flush();
        send({ type: "runFailed", requestId, message: messageOf(error) });
      } finally {
        this.#controls.delete(requestId);
      }
    };
  }

  async #run(
    request: RunRequest,
    guests: readonly GuestPort[],
    control: RunControl,
    record: (record: TraceRecord) => void,
  ): Promise<void> {
    const loaded = await this.#livingModel();
    const { prompt, host } = answerFormat(request, loaded.parts);
    const mods = await this.#connect(request, guests, loaded);
    if (host) mods.push(host);
    try {
      const ports: DecodePorts = {
        kvCache: loaded.kvCache,
        tokenizer: loaded.parts.tokenizer,
        mods,
        record,
        now: this.#options.now,
        signal: control.signal,
        gate: control.gate,
      };
      const sources = request.mods.map(({ source }) => source);
      const modSources = host ? [...sources, host.source] : sources;
      await decode(this.#decodeRequest(request, loaded, { prompt, modSources }), ports);
    } finally {
      for (const mod of mods) mod.dispose();
    }
  }

  /** The sandboxes' ends of the ports become mods. One that could not be loaded says so when it is first asked. */
  #connect(request: RunRequest, guests: readonly GuestPort[], loaded: Loaded): Promise<ModHost[]> {
    return Promise.all(
      guests.map(({ port, about }, index) =>
        connectModHost(port, {
          name: request.mods[index]?.name ?? `mod ${index + 1}`,
          about,
          seed: request.seed,
          tokenizerData: loaded.parts.tokenizerData,
          onKill: () => this.#options.send({ type: "killMod", requestId: request.requestId, mod: index }),
        }),
      ),
    );
  }

  #decodeRequest(
    request: RunRequest,
    { parts, message }: Loaded,
    made: Pick<DecodeRequest, "prompt" | "modSources">,
  ): DecodeRequest {
    const { info } = parts;
    return {
      ...made,
      requestId: request.requestId,
      messages: request.messages,
      tools: request.tools ?? [],
      responseFormat: request.responseFormat ?? null,
      sampling: request.sampling,
      maxTokens: request.maxTokens,
      stop: request.stop,
      seed: request.seed,
      onModError: request.onModError,
      model: {
        id: info.id,
        revision: message.model.revision,
        file: info.file,
        device: info.device,
        adapter: info.adapter,
        vocabularySize: info.vocabularySize,
      },
      createdAt: this.#options.date(),
    };
  }

  async #tokenize({ id, prompt }: Extract<PageMessage, { type: "tokenize" }>): Promise<void> {
    const { send } = this.#options;
    try {
      const { parts } = await this.#livingModel();
      const tokens = promptOf(prompt, parts).map((token) => ({
        token,
        text: parts.tokenizer.tokenText(token),
      }));
      send({ type: "tokenized", id, tokens });
    } catch (error) {
      send({ type: "tokenizeFailed", id, message: messageOf(error) });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
