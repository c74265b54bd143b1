/** The page's side of a session: starts the engine's worker and the mods' sandboxes, and connects them. */

import { untilAborted } from "../../../core/base/abort.ts";
import type { HubAccess } from "../../../core/base/hub-token.ts";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { checkOptionKeys, type OptionKeys } from "../../../core/base/known-keys.ts";
import { type ServerAccess, serverAccessKeys } from "../../../core/base/server-access.ts";
import type { LayersQuery } from "../../../core/decoder/activations/layers-query.ts";
import type { Mod } from "../../../core/sdk/mod.ts";
import type { TraceRecord } from "../../../core/trace/format/format.ts";
import { createSandboxPool } from "../../sandbox/frame.ts";
import type { Guest } from "../../sandbox/sandbox-pool.ts";
import { openEngineWorker } from "../connection/engine-worker-transport.ts";
import type { LoadOptions } from "../shared/loading.ts";
import type { EngineMemory } from "../shared/memory-budget.ts";
import type { DevicePreference, ModelReference, PageMessage, Verification } from "../shared/protocol.ts";
import type { PromptRequest, PromptToken, RunRequest, VerifyRequest } from "../shared/requests.ts";
import { EngineLink } from "./engine-link.ts";
import type { RunEvent } from "./engine-link-options.ts";
import type { ReadLayersOptions } from "./layers.ts";
import { checkPromptKeys, checkRequestKeys, checkVerifyKeys } from "./request-keys.ts";
import { RunCommands } from "./run-commands.ts";
import { runFailureError, stoppedBeforeStartError } from "./run-failure.ts";
import type { RunHandle, RunOptions, Session } from "./session.ts";
import type { SessionOptions } from "./session-options.ts";
import { ModSpawner } from "./spawn-mods.ts";
import { longestPromptMs, longestStopMs } from "./work-watch.ts";

export type { LoadOptions, PromptToken, RunHandle, RunOptions, Session, SessionOptions };

type WorkMessage = Extract<PageMessage, { type: "run" | "verify" }>;

interface ActiveRun {
  /** The message that starts the work, sent to the engine's worker once the mods have sandboxes. */
  readonly work: Pick<WorkMessage, "type" | "request">;
  readonly onRecords: (records: readonly TraceRecord[]) => void;
  readonly onVerified: (verification: Verification) => void;
  readonly settle: (error?: Error) => void;
  readonly options: RunOptions;
  readonly commands: RunCommands;
  /** Aborted when the request has ended. */
  readonly over: AbortController;
  mods: readonly Guest[];
  /** Whether the request was sent to the engine's worker. If so, the worker's messages say how the request ends. */
  isPosted: boolean;
  /**
   * Whether records of this request were delivered. If so, the request cannot begin again, because the user would see two
   * beginnings.
   */
  hasBegun: boolean;
}

class WorkerSession implements Session {
  readonly #mods: ModSpawner;
  readonly #link: EngineLink;
  readonly #runs = new Map<string, ActiveRun>();
  readonly #goneListeners = new Set<() => void>();
  readonly #noticeListeners = new Set<(notice: string) => void>();
  readonly #memoryListeners = new Set<(memory: EngineMemory | null) => void>();

  constructor({
    openTransport = openEngineWorker,
    createSandboxes = () => createSandboxPool({ document }),
    startCompiler,
    cancelGraceMs = longestStopMs,
    promptDeadlineMs = longestPromptMs,
    memoryBudget,
    hubAccess,
  }: SessionOptions) {
    this.#mods = new ModSpawner(createSandboxes, startCompiler);
    this.#link = new EngineLink({
      openTransport,
      cancelGraceMs,
      promptDeadlineMs,
      memoryBudget,
      hubAccess,
      onMemory: (memory) => notifyListeners(this.#memoryListeners, memory),
      onNotice: (notice) => notifyListeners(this.#noticeListeners, notice),
      onRunEvent: (event) => this.#receive(event),
      onTokenizer: (tokenizer) => this.#mods.prepare(tokenizer),
      onModelGone: () => notifyListeners(this.#goneListeners, undefined),
      onWorkerGone: (error, isReplaced) => this.#loseRuns(error, isReplaced),
    });
  }

  async loadModel(model: ModelReference, device: DevicePreference, options: LoadOptions) {
    checkOptionKeys("loadModel", options, loadKeys);
    const loaded = this.#link.load(model, device, options);
    this.#mods.begin();
    return loaded;
  }

  async tokenizePrompt(prompt: PromptRequest, signal?: AbortSignal) {
    checkPromptKeys(prompt);
    return this.#link.tokenize(prompt, signal);
  }

  async readLayers(query: LayersQuery, options: ReadLayersOptions = {}) {
    checkOptionKeys("readLayers", options, readLayersKeys);
    return this.#link.readLayers(query, options);
  }

  async compileProblems(source: string, signal?: AbortSignal) {
    const result = await this.#mods.compile(source, signal);
    return result.ok ? [] : result.problems;
  }

  async exportedNames(source: string, signal?: AbortSignal) {
    return (await this.#mods.compile(source, signal)).exports;
  }

  async removesText(source: string, signal?: AbortSignal) {
    const result = await this.#mods.compile(source, signal);
    return result.ok && result.removesText;
  }

  keepReady(modCount: number): void {
    this.#mods.keepReady(modCount);
  }

  onModelGone(listener: () => void): () => void {
    this.#goneListeners.add(listener);
    return () => void this.#goneListeners.delete(listener);
  }

  onMemory(listener: (memory: EngineMemory | null) => void): () => void {
    this.#memoryListeners.add(listener);
    return () => void this.#memoryListeners.delete(listener);
  }

  setHubAccess(access: HubAccess | null): void {
    if (access) checkOptionKeys("setHubAccess", access, { token: true, origin: true });
    this.#link.setHubAccess(access);
  }

  setServerAccess(access: ServerAccess | null): void {
    if (access) checkOptionKeys("setServerAccess", access, serverAccessKeys);
    this.#link.setServerAccess(access);
  }

  onNotice(listener: (notice: string) => void): () => void {
    this.#noticeListeners.add(listener);
    return () => void this.#noticeListeners.delete(listener);
  }

  setMemoryBudget(bytes: number, textBytes?: number): void {
    this.#link.setMemoryBudget(bytes, textBytes);
  }

  release(): boolean {
    return this.#runs.size === 0 && this.#link.release();
  }

  run(request: RunRequest, onRecords: ActiveRun["onRecords"], options: RunOptions = {}): RunHandle {
    checkOptionKeys("run", options, runKeys);
    checkRequestKeys(request);
    return this.#startWork({ type: "run", request }, { onRecords, onVerified() {}, options });
  }

  async verify(request: VerifyRequest, signal?: AbortSignal): Promise<Verification> {
    signal?.throwIfAborted();
    checkVerifyKeys(request);
    let verification: Verification | null = null;
    const { done, stop } = this.#startWork(
      { type: "verify", request },
      {
        onRecords() {},
        onVerified(reported) {
          verification = reported;
        },
        options: {},
      },
    );
    signal?.addEventListener("abort", stop);
    try {
      await (signal ? untilAborted(done, signal) : done);
    } finally {
      signal?.removeEventListener("abort", stop);
    }
    if (verification === null)
      throw new Error(
        "The engine did not report the result of the verification. This is a bug in Midtoken: please report it.",
      );
    return verification;
  }

  #startWork(
    work: ActiveRun["work"],
    callbacks: Pick<ActiveRun, "onRecords" | "onVerified" | "options">,
  ): RunHandle {
    const { requestId } = work.request;
    const commands = new RunCommands(requestId, (message) => this.#link.post(message));
    const done = new Promise<void>((resolve, reject) => {
      const settle = (error?: Error) => {
        const run = this.#runs.get(requestId);
        if (!run) return;
        this.#runs.delete(requestId);
        run.over.abort();
        for (const mod of run.mods) mod.kill();
        if (error) reject(error);
        else resolve();
      };
      const state = { commands, over: new AbortController(), mods: [], isPosted: false, hasBegun: false };
      this.#runs.set(requestId, { work, ...callbacks, settle, ...state });
    });
    this.#begin(requestId);
    const stop = () => {
      const run = this.#runs.get(requestId);
      const hasBegun = run?.isPosted && this.#link.stop(requestId);
      if (!hasBegun) run?.settle(stoppedBeforeStartError());
    };
    return { done, stop, ...commands.handle };
  }

  dispose(): void {
    this.#link.close(new Error("The session was closed."));
    this.#mods.dispose();
  }

  #begin(requestId: string): void {
    this.#start(requestId).catch((error: unknown) => this.#runs.get(requestId)?.settle(asError(error)));
  }

  async #start(requestId: string): Promise<void> {
    const run = this.#runs.get(requestId);
    if (!run) return;
    const { type, request } = run.work;
    // Verifying needs no model.
    const model = type === "run" ? this.#link.restoreModel() : undefined;
    const { signal } = run.over;
    const spawning = this.#mods.spawn(request.mods, run.options.trusted ?? noTrustedMods, signal);
    const spawned = spawning.then((mods) => {
      // The request has ended meanwhile, so its mods must be ended here.
      if (signal.aborted) for (const mod of mods) mod.kill();
      else run.mods = mods;
    });
    await Promise.all([spawned, model, run.options.after]);
    if (signal.aborted) return;
    run.isPosted = true;
    const guests = run.mods.map(({ port, pingPort, about }) => ({ port, pingPort, about }));
    this.#link.post(
      { ...run.work, guests, commands: run.commands.take() } as WorkMessage,
      guests.flatMap(({ port, pingPort }) => [port, pingPort]),
    );
    run.options.onPosted?.();
  }

  /**
   * Called when the engine's worker has ended. If a new worker replaces it, each run without records begins again there; all
   * other runs end with `error`.
   */
  #loseRuns(error: Error, isReplaced: boolean): void {
    for (const run of [...this.#runs.values()]) {
      if (!isReplaced || run.hasBegun) run.settle(error);
      else if (run.isPosted) {
        for (const mod of run.mods) mod.kill();
        run.mods = [];
        run.isPosted = false;
        run.commands.begin();
        this.#begin(run.work.request.requestId);
      }
    }
  }

  #receive(event: RunEvent): void {
    const run = this.#runs.get(event.requestId);
    if (!run) return;
    switch (event.type) {
      case "records":
        run.hasBegun = true;
        run.onRecords(event.records);
        if (event.records.at(-1)?.type === "finished") run.settle();
        return;
      case "paused":
        if (run.commands.isUpToDate(event.heard)) run.options.onPaused?.(event.pause);
        return;
      case "opening":
        run.options.onOpening?.(event.opening);
        return;
      case "caughtUp":
        run.options.onCaughtUp?.(event.share);
        return;
      case "verified":
        run.onVerified(event.verification);
        run.settle();
        return;
      case "killMod":
        run.mods[event.mod]?.kill();
        return;
      case "runFailed":
        run.settle(runFailureError(event));
        return;
      case "lost":
        run.settle(event.error);
        return;
    }
  }
}

function notifyListeners<Value>(listeners: Iterable<(value: Value) => void>, value: Value): void {
  for (const listener of listeners) listener(value);
}

const noTrustedMods: ReadonlyMap<number, Mod> = new Map();

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

const sessionOptionKeys: OptionKeys<SessionOptions> = {
  openTransport: true,
  createSandboxes: true,
  startCompiler: true,
  cancelGraceMs: true,
  promptDeadlineMs: true,
  memoryBudget: true,
  hubAccess: true,
};

const loadKeys: OptionKeys<LoadOptions> = {
  onStart: true,
  onProgress: true,
  signal: true,
  files: true,
  openLayers: true,
};
const readLayersKeys: OptionKeys<ReadLayersOptions> = { signal: true, onPlace: true, onOpening: true };
const runKeys: OptionKeys<RunOptions> = {
  after: true,
  trusted: true,
  onPosted: true,
  onPaused: true,
  onOpening: true,
  onCaughtUp: true,
};

/** Makes a session. Its first request, load or other call of the engine starts the engine's worker. @throws TypeError for an unknown option */
export function createSession(options: SessionOptions = {}): Session {
  checkOptionKeys("createSession", options, sessionOptionKeys);
  return new WorkerSession(options);
}

/** A sentence that says why the tools or the response format of a request cannot be enforced; null if they can. */
export async function answerFormatProblem(
  fields: Pick<RunRequest, "tools" | "toolChoice" | "responseFormat">,
): Promise<string | null> {
  // The mask engine is fetched when it is first needed, not with the page.
  const { requestFormatProblem } = await importProgramPart(
    "The schema checker",
    () => import("../../../core/tools/check-format.ts"),
    "requestFormatProblem",
  );
  return requestFormatProblem(fields);
}
