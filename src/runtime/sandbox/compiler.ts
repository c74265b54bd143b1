/**
 * The page's side of the compiler. The compiler runs in its own worker, because the parser's work can double with every
 * bracket of a source, and only ending the thread stops the parser. The worker compiles one source at a time. Results are
 * cached by the source's text.
 */
import { untilAborted } from "../../core/base/abort.ts";
import { ProgramPartError } from "../../core/base/import-part.ts";
import { messageOf } from "../../core/base/message-of.ts";
import type { WorkerConnection } from "../../core/base/worker-connection.ts";
import { type CompileRefusal, type CompileSourceResult, largestSource } from "./compiled-mod.ts";
import { longestCompileMs, sameProcessPings, startDeadline } from "./deadlines.ts";
import { startCompileWorker } from "./start-compile-worker.ts";

/** Milliseconds within which the worker must have started. */
const longestStart = 20_000;

/** Limits of the cache of compiled sources: number of sources, and UTF-16 units of all texts together. */
const mostKept = { sources: 64, units: 16_000_000 };

/** The worker's messages: first "ready", then a result for each source. */
export type CompilerMessage =
  | { readonly type: "ready" }
  | { readonly type: "compiled"; readonly result: CompileSourceResult };

export interface Compiler {
  /**
   * Compiles a source, or returns what is wrong with it, also if it is too large or takes too long. If all callers cancel,
   * the source is dropped.
   * @throws the signal's reason when aborted; ProgramPartError if the compiler cannot be fetched, and Error if it does not start:
   * the next call tries again.
   */
  compile(source: string, signal?: AbortSignal): Promise<CompileSourceResult>;
  /** Ends the worker and rejects all waiting calls. */
  dispose(): void;
}

interface Job {
  readonly source: string;
  readonly result: Promise<CompileSourceResult>;
  resolve(result: CompileSourceResult): void;
  reject(error: Error): void;
  /** Number of calls that wait for this source. */
  waiting: number;
}

class WorkerCompiler implements Compiler {
  readonly #startWorker: () => WorkerConnection;
  #worker: WorkerConnection | null = null;
  #isReady = false;
  /** By source, oldest first. */
  readonly #jobs = new Map<string, Job>();
  /** The source that the worker is compiling. */
  #current: Job | null = null;
  #stopClock: () => void = () => undefined;
  /** Results by source; the source requested last is at the end. */
  readonly #kept = new Map<string, CompileSourceResult>();
  #keptUnits = 0;

  constructor(startWorker: () => WorkerConnection) {
    this.#startWorker = startWorker;
  }

  async compile(source: string, signal?: AbortSignal): Promise<CompileSourceResult> {
    signal?.throwIfAborted();
    if (source.length > largestSource) return refuse(tooLarge(source.length));
    const kept = this.#kept.get(source);
    if (kept) {
      this.#keep(source, kept);
      return kept;
    }
    const job = this.#jobs.get(source) ?? this.#add(source);
    job.waiting += 1;
    this.#next();
    try {
      return await untilAborted(job.result, signal);
    } finally {
      job.waiting -= 1;
      if (job.waiting === 0) this.#drop(job);
    }
  }

  dispose(): void {
    this.#fail(new Error("The compiler was closed."));
  }

  #add(source: string): Job {
    let settle: Pick<Job, "resolve" | "reject"> | undefined;
    const result = new Promise<CompileSourceResult>((resolve, reject) => {
      settle = { resolve, reject };
    });
    // Waiting callers get the failure. Without a caller, it must not count as unhandled.
    result.catch(() => undefined);
    const job = { source, result, waiting: 0, ...(settle as Pick<Job, "resolve" | "reject">) };
    this.#jobs.set(source, job);
    return job;
  }

  /** Sends the next source to the worker, if the worker has started and is idle. */
  #next(): void {
    const [job] = this.#jobs.values();
    if (!job || this.#current) return;
    if (!this.#worker) this.#start();
    if (!this.#isReady) return;
    this.#current = job;
    this.#stopClock = startDeadline(longestCompileMs, sameProcessPings, () => this.#giveUp(job, tooSlow));
    this.#worker?.postMessage(job.source, []);
  }

  #start(): void {
    try {
      this.#worker = this.#startWorker();
    } catch (cause) {
      this.#broke(messageOf(cause));
      return;
    }
    this.#worker.onmessage = ({ data }: MessageEvent<CompilerMessage>) => this.#receive(data);
    this.#worker.onerror = ({ message }) => this.#broke(message);
    this.#stopClock = startDeadline(longestStart, sameProcessPings, () =>
      this.#broke(`it did not answer within ${longestStart / 1000} s.`),
    );
  }

  #receive(message: CompilerMessage): void {
    const job = this.#current;
    this.#stopClock();
    this.#isReady = true;
    this.#current = null;
    if (message.type === "compiled" && job) {
      this.#keep(job.source, message.result);
      this.#settle(job, message.result);
    }
    this.#next();
  }

  /**
   * Handles the error of a worker that broke or did not start. If the worker's file could not be fetched, the browser gives
   * no reason.
   */
  #broke(message: string | undefined): void {
    if (this.#current) this.#giveUp(this.#current, stopped(message ?? ""));
    else if (message) this.#fail(new Error(`The mod compiler could not start: ${message}`));
    else this.#fail(new ProgramPartError("The mod compiler could not be fetched."));
  }

  /** Ends the worker, because its parser may never finish this source. */
  #giveUp(job: Job, why: string): void {
    this.#endWorker();
    this.#settle(job, refuse(why));
    this.#next();
  }

  #settle(job: Job, result: CompileSourceResult): void {
    this.#jobs.delete(job.source);
    job.resolve(result);
  }

  #drop(job: Job): void {
    if (this.#jobs.get(job.source) !== job) return;
    this.#jobs.delete(job.source);
    if (this.#current !== job) return;
    this.#endWorker();
    this.#next();
  }

  #fail(error: Error): void {
    this.#endWorker();
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { reject } of jobs) reject(error);
  }

  #endWorker(): void {
    this.#stopClock();
    this.#worker?.terminate();
    this.#worker = null;
    this.#isReady = false;
    this.#current = null;
  }

  #keep(source: string, result: CompileSourceResult): void {
    if (!this.#kept.delete(source)) this.#keptUnits += unitsOf(source, result);
    this.#kept.set(source, result);
    for (const [oldest, old] of this.#kept) {
      if (this.#kept.size <= mostKept.sources && this.#keptUnits <= mostKept.units) return;
      this.#kept.delete(oldest);
      this.#keptUnits -= unitsOf(oldest, old);
    }
  }
}

function unitsOf(source: string, result: CompileSourceResult): number {
  return source.length + (result.ok ? result.code.length + result.mappings.length : 0);
}

const tooSlow = `Compiling the mod took longer than ${longestCompileMs / 1000} s. Nest brackets, "<T>" and arrow functions less deeply, or shorten the mod.`;

function tooLarge(units: number): string {
  const [has, most] = [units, largestSource].map((count) => count.toLocaleString("en-US"));
  return `The mod has ${has} characters; the limit is ${most}. Shorten the mod.`;
}

function stopped(message: string): string {
  return `The compiler crashed while it read this mod${message && ` (${message})`}: the mod may need more memory than is available. Shorten the mod.`;
}

function refuse(message: string): CompileRefusal {
  return { ok: false, problems: [{ message, line: null, column: null }], exports: [] };
}

/** `startWorker` replaces the browser's module worker, for example in Node. The worker starts with the first source. */
export function createCompiler(startWorker: () => WorkerConnection = startCompileWorker): Compiler {
  return new WorkerCompiler(startWorker);
}
