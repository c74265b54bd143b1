/**
 * Calls to the engine's worker, each with a number: posts the call, passes it the worker's replies, ends it when its caller
 * cancels, and posts it again if a new worker replaces one that hangs. `link-loads.ts`, `link-prompts.ts` and
 * `link-readings.ts` define the calls.
 */
import type { LayersOpening } from "../shared/loading.ts";
import type { EngineMessage, PageMessage } from "../shared/protocol.ts";

export type WorkerCallMessage = Extract<PageMessage, { type: "load" | "tokenize" | "readLayers" }>;

/** A message of the worker about one call. */
export type WorkerCallReply = Extract<EngineMessage, { readonly id: number }>;

/** Whether this reply is the last of its call. */
const isLast: Readonly<Record<WorkerCallReply["type"], boolean>> = {
  loadStarted: false,
  progress: false,
  loaded: true,
  loadFailed: true,
  tokenized: true,
  tokenizeFailed: true,
  placeRead: false,
  layersRead: true,
  readingFailed: true,
};

/** One call, defined by its kind. */
export interface WorkerCall<Answer> {
  readonly message: WorkerCallMessage;
  readonly signal?: AbortSignal | undefined;
  /** The message of the caller's AbortError. */
  readonly cancelText: string;
  /** Posted when the caller cancels; undefined if the worker has no such message. */
  readonly cancelMessage?: PageMessage;
  /** Whether a new worker gets the call again. If not, the call fails when its worker hangs. */
  readonly isRepeated: boolean;
  /** Whether a cancelled call counts as open until the worker has ended it. */
  readonly staysOpen: boolean;
  /** Reads a reply. The last reply returns the result. @throws Error if the call failed */
  receive(reply: WorkerCallReply): Answer | undefined;
  onOpening?(opening: LayersOpening | null): void;
}

interface OpenCall extends WorkerCall<unknown> {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  isCancelled: boolean;
}

export interface WorkerCallsOptions {
  post(message: PageMessage): void;
  /** Called when a call was cancelled and the worker has not ended it. A hostile tokenizer can keep the worker from ever reading the cancel message. */
  onCancel(id: number): void;
}

export class WorkerCalls {
  readonly #options: WorkerCallsOptions;
  /** Oldest first. */
  readonly #open = new Map<number, OpenCall>();

  constructor(options: WorkerCallsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Rejects with an AbortError as soon as the call's signal aborts, or with the error that `receive` throws. */
  async make<Answer>(call: WorkerCall<Answer>): Promise<Answer> {
    const { message, signal } = call;
    const cancel = () => this.#cancel(message.id);
    const answer = new Promise<unknown>((resolve, reject) => {
      signal?.throwIfAborted();
      this.#open.set(message.id, Object.assign(call, { resolve, reject, isCancelled: false }));
      signal?.addEventListener("abort", cancel);
      this.#options.post(message);
    });
    return answer.finally(() => signal?.removeEventListener("abort", cancel)) as Promise<Answer>;
  }

  receive(reply: WorkerCallReply): void {
    const call = this.#open.get(reply.id);
    if (!call) return;
    if (isLast[reply.type]) this.#end(reply.id, call, reply);
    else if (!call.isCancelled) call.receive(reply);
  }

  tellOpening(id: number, opening: LayersOpening | null): void {
    this.#open.get(id)?.onOpening?.(opening);
  }

  /** Sends the calls with `isRepeated` to the new worker. The others fail. */
  replaceWorker(error: Error): void {
    const calls = [...this.#open.entries()];
    this.#open.clear();
    for (const [id, call] of calls) {
      if (!call.isRepeated) call.reject(error);
      else if (!call.isCancelled) {
        this.#open.set(id, call);
        this.#options.post(call.message);
      }
    }
  }

  fail(id: number, error: Error): void {
    this.#open.get(id)?.reject(error);
    this.#open.delete(id);
  }

  failAll(error: Error): void {
    for (const id of [...this.#open.keys()]) this.fail(id, error);
  }

  #end(id: number, call: OpenCall, reply: WorkerCallReply): void {
    this.#open.delete(id);
    try {
      call.resolve(call.receive(reply));
    } catch (error) {
      call.reject(error);
    }
  }

  #cancel(id: number): void {
    const call = this.#open.get(id);
    if (!call) return;
    call.isCancelled = true;
    call.reject(new DOMException(call.cancelText, "AbortError"));
    if (!call.staysOpen) this.#open.delete(id);
    if (call.cancelMessage) this.#options.post(call.cancelMessage);
    this.#options.onCancel(id);
  }
}
