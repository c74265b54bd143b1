/** Runs the requests of one call at the same time, one for each choice, and yields their events. */
import type { AnswerStreamEvent } from "../../core/trace/text/text-stream-events.ts";
import type { RequestPlan, StartedRequest, StartRequest } from "./start-request.ts";

export interface ChoiceEvent {
  /** Index of the choice. */
  readonly choice: number;
  readonly request: StartedRequest;
  readonly event: AnswerStreamEvent;
}

/** Starts all requests, or none. Rejects with the error of `start`, or with the signal's reason. */
export async function startChoices(
  start: StartRequest,
  plans: readonly RequestPlan[],
  signal?: AbortSignal,
): Promise<RunningChoices> {
  signal?.throwIfAborted();
  const results = await Promise.allSettled(plans.map(start));
  const started = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const failed = results.find((result) => result.status === "rejected");
  if (failed || signal?.aborted) for (const request of started) request.cancel();
  if (failed) throw failed.reason;
  signal?.throwIfAborted();
  return new RunningChoices(started, signal);
}

export class RunningChoices {
  readonly started: readonly StartedRequest[];
  /** Requests that have not ended. */
  readonly #open: Set<StartedRequest>;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.cancel();

  constructor(started: readonly StartedRequest[], signal?: AbortSignal) {
    this.started = started;
    this.#open = new Set(started);
    this.#signal = signal;
    signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  cancel(): void {
    for (const request of this.#open) request.cancel();
    this.#open.clear();
    this.#signal?.removeEventListener("abort", this.#onAbort);
  }

  /**
   * May be iterated once. Leaving the loop, or an error in one request, cancels the other requests. Throws the error of a
   * request, and the signal's reason as soon as it is aborted.
   */
  async *events(): AsyncGenerator<ChoiceEvent, void, undefined> {
    const arrived: Arrival[] = [];
    let wake = (): void => undefined;
    const tell = (arrival: Arrival): void => {
      arrived.push(arrival);
      wake();
    };
    const ask = (source: Source): void => {
      const fail = (error: unknown): void => tell({ ...source, result: { error } });
      source.iterator.next().then((result) => tell({ ...source, result }), fail);
    };
    for (const [choice, request] of this.started.entries()) {
      ask({ choice, request, iterator: request.events[Symbol.asyncIterator]() });
    }
    const onAbort = (): void => wake();
    // One listener for all events: a listener for each event takes longer than the rest of the event.
    this.#signal?.addEventListener("abort", onAbort);
    let running = this.started.length;
    try {
      while (running > 0) {
        this.#signal?.throwIfAborted();
        const arrival = arrived.shift();
        if (!arrival) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        const { result, ...source } = arrival;
        if ("error" in result) throw result.error;
        if (result.done) {
          running -= 1;
          continue;
        }
        ask(source);
        const { choice, request } = source;
        if (result.value.type === "finished") this.#open.delete(request);
        yield { choice, request, event: result.value };
      }
    } finally {
      this.#signal?.removeEventListener("abort", onAbort);
      this.cancel();
    }
  }
}

interface Source {
  readonly choice: number;
  readonly request: StartedRequest;
  readonly iterator: AsyncIterator<AnswerStreamEvent>;
}

interface Arrival extends Source {
  readonly result: IteratorResult<AnswerStreamEvent> | { readonly error: unknown };
}
