/** The page's side of a session: starts the engine's worker and the mods' sandboxes, and speaks to both. */
import { importPart } from "../base/import-part.ts";
import { type CompileProblem, compileMod } from "../sandbox/compile.ts";
import { createSandboxPool, type Guest, type SandboxPool } from "../sandbox/frame.ts";
import type { TraceRecord } from "../trace/format.ts";
import type {
  DevicePreference,
  EngineMessage,
  LoadedModel,
  LoadProgress,
  ModelReference,
  PageMessage,
  PromptRequest,
  RunRequest,
} from "./protocol.ts";

export interface SessionLoadOptions {
  onProgress(progress: LoadProgress): void;
  readonly signal: AbortSignal;
}

/** One request on its way. */
export interface RunHandle {
  /** Settles after the last record. Rejects with a readable Error when the request could not start or the engine broke. */
  readonly done: Promise<void>;
  stop(): void;
  pause(): void;
  resume(): void;
  stepOnce(): void;
}

export interface PromptToken {
  readonly token: number;
  readonly text: string;
}

/** A loaded model with mods, over many requests. */
export interface Session {
  /** Replaces the model. Rejects with an AbortError when cancelled, else with a readable Error. */
  loadModel(
    model: ModelReference,
    device: DevicePreference,
    options: SessionLoadOptions,
  ): Promise<LoadedModel>;
  run(request: RunRequest, onRecords: (records: readonly TraceRecord[]) => void): RunHandle;
  /** The prompt as the model sees it. */
  tokenizePrompt(prompt: PromptRequest): Promise<readonly PromptToken[]>;
  dispose(): void;
}

interface Waiting {
  resolve(value: never): void;
  reject(error: Error): void;
  onProgress?(progress: LoadProgress): void;
}

interface ActiveRun {
  readonly onRecords: (records: readonly TraceRecord[]) => void;
  readonly settle: (error?: Error) => void;
  mods: readonly Guest[];
  /** Handed to the engine, which answers for it from then on. */
  isPosted: boolean;
}

/** How long a worker may take to answer a cancel, in milliseconds, before it is ended. A pass of a large model fits in it. */
const CANCEL_GRACE_MS = 3_000;

export interface SessionOptions {
  /** Starts the engine's worker, where the page needs a way of its own; it runs `engine-worker.ts`. */
  readonly startWorker?: () => Worker;
}

function startEngineWorker(): Worker {
  return new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });
}

class WorkerSession implements Session {
  readonly #startEngine: () => Worker;
  #worker: Worker | null = null;
  #sandboxes: SandboxPool | null = null;
  readonly #waiting = new Map<number, Waiting>();
  readonly #runs = new Map<string, ActiveRun>();
  #nextId = 1;

  constructor({ startWorker = startEngineWorker }: SessionOptions) {
    this.#startEngine = startWorker;
  }

  loadModel(model: ModelReference, device: DevicePreference, { onProgress, signal }: SessionLoadOptions) {
    const id = this.#nextId++;
    const cancel = () => {
      this.#post({ type: "cancelLoad", id });
      // A hostile tokenizer or chat template can keep the worker from ever reading that.
      setTimeout(() => {
        if (this.#waiting.has(id)) this.#fail(new DOMException("Loading was cancelled.", "AbortError"));
      }, CANCEL_GRACE_MS);
    };
    signal.addEventListener("abort", cancel);
    const loaded = this.#ask<LoadedModel>(id, { type: "load", id, model, device }, onProgress);
    this.#pool();
    return loaded.finally(() => signal.removeEventListener("abort", cancel));
  }

  tokenizePrompt(prompt: PromptRequest) {
    const id = this.#nextId++;
    return this.#ask<readonly PromptToken[]>(id, { type: "tokenize", id, prompt });
  }

  run(request: RunRequest, onRecords: (records: readonly TraceRecord[]) => void): RunHandle {
    const { requestId } = request;
    const done = new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        const run = this.#runs.get(requestId);
        if (!run) return;
        this.#runs.delete(requestId);
        for (const mod of run.mods) mod.kill();
        if (error) reject(error);
        else resolve();
      };
      this.#runs.set(requestId, { onRecords, settle, mods: [], isPosted: false });
    });
    this.#start(request).catch((error: unknown) => this.#runs.get(requestId)?.settle(asError(error)));
    const send = (type: "stop" | "pause" | "resume" | "stepOnce") => () => this.#post({ type, requestId });
    const stop = () => {
      const run = this.#runs.get(requestId);
      if (run?.isPosted) send("stop")();
      else run?.settle(new DOMException("The request was stopped before it began.", "AbortError"));
    };
    return { done, stop, pause: send("pause"), resume: send("resume"), stepOnce: send("stepOnce") };
  }

  dispose(): void {
    this.#fail(new Error("The session was closed."));
    this.#sandboxes?.dispose();
    this.#sandboxes = null;
  }

  async #start(request: RunRequest): Promise<void> {
    const mods = await this.#spawn(request);
    const run = this.#runs.get(request.requestId);
    if (!run) {
      for (const mod of mods) mod.kill();
      return;
    }
    run.mods = mods;
    run.isPosted = true;
    const guests = mods.map(({ port, about }) => ({ port, about }));
    this.#post(
      { type: "run", request, guests },
      guests.map(({ port }) => port),
    );
  }

  /** A sandbox for each mod. @throws Error that names the mod and the line which keep it from running. */
  async #spawn({ mods }: RunRequest): Promise<readonly Guest[]> {
    const compiled = mods.map(({ name, source }) => {
      const result = compileMod(source, name);
      if (result.ok) return result;
      const [problem] = result.problems;
      throw new Error(`${name}, line ${problem?.line ?? 1}: ${problem?.message ?? "it does not compile."}`);
    });
    const spawned = await Promise.allSettled(compiled.map((each) => this.#pool().spawn(each)));
    const guests = spawned.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failed = spawned.find((each) => each.status === "rejected");
    if (!failed) return guests;
    for (const guest of guests) guest.kill();
    throw failed.reason;
  }

  #pool(): SandboxPool {
    this.#sandboxes ??= createSandboxPool({ document });
    return this.#sandboxes;
  }

  #ask<Answer>(id: number, message: PageMessage, onProgress?: (progress: LoadProgress) => void) {
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, ...(onProgress ? { onProgress } : {}) });
      this.#post(message);
    });
  }

  #post(message: PageMessage, transfer: Transferable[] = []): void {
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage(message, transfer);
  }

  #startWorker(): Worker {
    const worker = this.#startEngine();
    worker.onmessage = ({ data }: MessageEvent<EngineMessage>) => this.#receive(data);
    worker.onerror = (event) =>
      this.#fail(
        new Error(`The engine stopped: ${event.message || "its worker could not be started"}. Run again.`),
      );
    return worker;
  }

  /** The worker is gone: whatever waits on it ends, and the next call starts a new one. */
  #fail(error: Error): void {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const run of [...this.#runs.values()]) run.settle(error);
  }

  #receive(message: EngineMessage): void {
    switch (message.type) {
      case "progress":
        this.#waiting.get(message.id)?.onProgress?.(message.progress);
        return;
      case "loaded":
        this.#pool().prepare(message.tokenizer);
        this.#answer(message.id, message.model);
        return;
      case "tokenized":
        this.#answer(message.id, message.tokens);
        return;
      case "loadFailed":
        this.#refuse(
          message.id,
          message.cancelled
            ? new DOMException("Loading was cancelled.", "AbortError")
            : new Error(message.message),
        );
        return;
      case "tokenizeFailed":
        this.#refuse(message.id, new Error(message.message));
        return;
      case "records": {
        const run = this.#runs.get(message.requestId);
        run?.onRecords(message.records);
        if (message.records.at(-1)?.type === "finished") run?.settle();
        return;
      }
      case "killMod":
        this.#runs.get(message.requestId)?.mods[message.mod]?.kill();
        return;
      case "runFailed":
        this.#runs.get(message.requestId)?.settle(new Error(message.message));
        return;
    }
  }

  #answer(id: number, value: unknown): void {
    this.#waiting.get(id)?.resolve(value as never);
    this.#waiting.delete(id);
  }

  #refuse(id: number, error: Error): void {
    this.#waiting.get(id)?.reject(error);
    this.#waiting.delete(id);
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The engine's worker starts with the first call. */
export function createSession(options: SessionOptions = {}): Session {
  return new WorkerSession(options);
}

/** What keeps a request's tools or response format from being kept, for people; null when nothing does. */
export async function answerFormatProblem(
  fields: Pick<RunRequest, "tools" | "toolChoice" | "responseFormat">,
): Promise<string | null> {
  // The mask engine is fetched when someone asks for a format, not with the page.
  const { requestFormatProblem } = await importPart(
    "What checks schemas and tools",
    () => import("../tools/check-format.ts"),
    "requestFormatProblem",
  );
  return requestFormatProblem(fields);
}

/** What keeps a mod from being run, in the editor's lines and columns; empty when nothing does. */
export async function compileProblems(source: string): Promise<readonly CompileProblem[]> {
  const result = compileMod(source, "mod");
  return result.ok ? [] : result.problems;
}
