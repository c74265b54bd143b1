/** Functions that the session's tests call in the page. */
import type { LayersQuery } from "../../src/core/decoder/activations/layers-query.ts";
import { defaultSampling } from "../../src/core/sdk/request.ts";
import type { FinishedRecord, TraceRecord } from "../../src/core/trace/format/format.ts";
import { workerTransport } from "../../src/runtime/session/connection/worker-transport.ts";
import { createSession, type RunHandle, type Session } from "../../src/runtime/session/page-side/client.ts";
import type { LoadedModel } from "../../src/runtime/session/shared/loading.ts";
import type { DevicePreference } from "../../src/runtime/session/shared/protocol.ts";
import type { RunRequest } from "../../src/runtime/session/shared/requests.ts";

interface Outcome {
  readonly text: string;
  readonly reason: string;
  readonly error: string | null;
  readonly records: readonly TraceRecord[];
  /** Why the run never got to a last record. */
  readonly failure: string | null;
  /** How often the model's layers were opened for it. */
  readonly openings: number;
}

let worker: Worker | null = null;
/** The last that the worker said is that it makes a prompt. */
let isPrompting = false;

/** A worker that keeps messages back until its module is there: `await` in it would lose them. */
function startLossyWorker(): Worker {
  const started = new Worker(new URL("./lossy-worker.ts", import.meta.url), { type: "module" });
  const post = started.postMessage.bind(started);
  const kept: [unknown, Transferable[]][] = [];
  started.postMessage = ((message: unknown, transfer: Transferable[]) => {
    kept.push([message, transfer]);
  }) as typeof post;
  started.addEventListener("message", function awake(event) {
    if (event.data !== "awake") return;
    event.stopImmediatePropagation();
    started.removeEventListener("message", awake);
    started.postMessage = post;
    for (const message of kept) post(...message);
  });
  // As long as the worker makes a prompt, it says nothing else.
  started.addEventListener("message", ({ data }) => {
    isPrompting = data.type === "promptStarted";
  });
  worker = started;
  return started;
}

/** `?memory=BYTES`: of the models that stay loaded. */
const memory = new URL(location.href).searchParams.get("memory");
const session: Session = createSession({
  openTransport: () => workerTransport(startLossyWorker()),
  ...(memory && { memoryBudget: Number(memory) }),
});
let current: RunHandle | null = null;
let live: readonly TraceRecord[] = [];
let count = 0;
/** How often the current run was held. */
let pauses = 0;
let loaded: { readonly key: string; readonly model: LoadedModel } | null = null;

const api = {
  /** The bundled model, or the one under another address, whose file has this dtype. Kept where it is the one that is loaded. */
  async load(device: DevicePreference, path = "/models/stories260k/", dtype = "fp32"): Promise<LoadedModel> {
    const key = [device, path, dtype].join(" ");
    if (loaded?.key === key) return loaded.model;
    loaded = null;
    const reference = {
      id: path,
      url: new URL(path, location.href).href,
      revision: null,
      dtype: { webgpu: dtype, wasm: dtype },
    };
    const model = await session.loadModel(reference, device, {
      onProgress: () => {},
      signal: new AbortController().signal,
    });
    loaded = { key, model };
    return model;
  },

  /** Begins to load, cancels after so many milliseconds, and answers the error's name. */
  async cancelLoad(path: string, afterMs: number): Promise<string> {
    loaded = null;
    const dtype = { webgpu: "fp32", wasm: "fp32" };
    const reference = { id: path, url: new URL(path, location.href).href, revision: null, dtype };
    const controller = new AbortController();
    setTimeout(() => controller.abort(), afterMs);
    const loading = session.loadModel(reference, "wasm", { onProgress() {}, signal: controller.signal });
    return loading.then(
      () => "loaded",
      ({ name }: Error) => name,
    );
  },

  /** To the worker: see refuse-memory.ts. Messages are heard in their order, so that the next request has it behind it. */
  tell: (word: string) => worker?.postMessage(word),

  /**
   * Runs to the end. `stopAfter`, `pauseAfter`: the run is held after each token until so many are there, then goes on and is stopped,
   * or stays held; `loseAfter`: destroys the device once so many are there; `breakAfter`: ends the worker; `tellAfter`: tells it `word`.
   */
  async run(
    mods: RunRequest["mods"],
    changes: Partial<RunRequest> = {},
    when: {
      stopAfter?: number;
      loseAfter?: number;
      breakAfter?: number;
      pauseAfter?: number;
      tellAfter?: number;
      word?: string;
    } = {},
  ): Promise<Outcome> {
    const records: TraceRecord[] = [];
    live = records;
    const request: RunRequest = {
      requestId: `test-${++count}`,
      messages: [{ role: "user", content: "Once upon a time" }],
      sampling: { ...defaultSampling, temperature: 0 },
      maxTokens: 40,
      stop: [],
      seed: 1,
      onModError: "stop",
      mods,
      ...changes,
    };
    let did = false;
    pauses = 0;
    const holdAt = when.stopAfter ?? when.pauseAfter;
    const onPaused = () => {
      const shown = records.filter(({ type }) => type === "added").length;
      if (holdAt !== undefined && shown < holdAt) return handle.stepOnce();
      pauses += 1;
      if (when.stopAfter === undefined) return;
      handle.resume();
      handle.stop();
    };
    const take = (more: readonly TraceRecord[]) => {
      records.push(...more);
      const added = records.filter(({ type }) => type === "added").length;
      const at = when.loseAfter ?? when.breakAfter ?? when.tellAfter;
      if (at === undefined || did || added < at) return;
      did = true;
      if (when.loseAfter !== undefined) worker?.postMessage("destroy devices");
      if (when.breakAfter !== undefined) worker?.postMessage("break");
      if (when.tellAfter !== undefined) worker?.postMessage(when.word);
    };
    let openings = 0;
    const onOpening = (opening: object | null) => {
      if (opening === null) openings += 1;
    };
    const handle = session.run(request, take, { onPaused, onOpening });
    current = handle;
    // The engine hears it before the first token, however fast it is.
    if (holdAt !== undefined) handle.pause();
    const failure = await handle.done.then(
      () => null,
      (error: Error) => error.message,
    );
    const last = records.at(-1) as FinishedRecord | undefined;
    return {
      text: last?.text ?? "",
      reason: last?.reason ?? "",
      error: last?.error?.message ?? null,
      records,
      failure,
      openings,
    };
  },

  /** Lengths of arrays in place of the arrays. */
  async readLayers(query: LayersQuery) {
    const { places, ...sizes } = await session.readLayers(query);
    return {
      ...sizes,
      places: places.map(({ place, hidden, lens }) => ({
        place,
        hidden: hidden?.length ?? null,
        ranks: lens.map(({ token }) => token?.rank ?? null),
        tops: lens.map(({ top }) => top.tokens.length),
      })),
    };
  },

  /** Stops a prompt of many passes after the first one: passes that were told of before the stop was sent, and in all. */
  async stopWhileReading(text: string) {
    let told = 0;
    let before = 0;
    let promptTokens = 0;
    const request: RunRequest = {
      requestId: `test-${++count}`,
      messages: [{ role: "user", content: text }],
      sampling: defaultSampling,
      maxTokens: 5,
      stop: [],
      seed: 1,
      onModError: "stop",
      mods: [],
    };
    let reason = "";
    const run = session.run(request, (records) => {
      for (const record of records) {
        if (record.type === "prefilled") promptTokens = record.tokens.length;
        if (record.type === "finished") reason = record.reason;
        if (record.type === "forwardPass") told += 1;
      }
      if (told === 0 || before > 0) return;
      before = told;
      run.stop();
    });
    await run.done;
    return { before, passes: told, promptTokens, reason };
  },

  /** Where the browser was started with `--expose-gc`. */
  collectGarbage: () => worker?.postMessage("collect garbage"),

  /** Frames of sandboxes in the page. */
  sandboxes: () => document.querySelectorAll("iframe").length,
  current: () => current,
  isPrompting: () => isPrompting,
  pauses: () => pauses,
  /** Tokens that the running request has shown so far. */
  shown: () => live.filter(({ type }) => type === "added").length,
  tokenize: () => session.tokenizePrompt({ messages: [{ role: "user", content: "Once upon a time" }] }),
};

declare global {
  interface Window {
    midtoken: typeof api;
  }
}
window.midtoken = api;
