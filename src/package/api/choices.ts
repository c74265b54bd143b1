/** Runs the requests of one call at the same time, one for each choice, and yields their events. */
import { untilAborted } from "../../core/base/abort.ts";
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
    const waiting = new Map<number, Promise<Arrival>>();
    const ask = (source: Source): void => {
      const { choice } = source;
      const arrival = source.iterator.next().then((result) => ({ ...source, result }));
      // If a request fails while another request's event is handled, its error is read later, or never.
      arrival.catch(() => undefined);
      // The request whose event came last moves to the end, so that all requests get their turn.
      waiting.delete(choice);
      waiting.set(choice, arrival);
    };
    for (const [choice, request] of this.started.entries()) {
      ask({ choice, request, iterator: request.events[Symbol.asyncIterator]() });
    }
    try {
      while (waiting.size > 0) {
        const { result, ...source } = await untilAborted(Promise.race(waiting.values()), this.#signal);
        const { choice, request } = source;
        if (result.done) {
          waiting.delete(choice);
          continue;
        }
        ask(source);
        if (result.value.type === "finished") this.#open.delete(request);
        yield { choice, request, event: result.value };
      }
    } finally {
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
  readonly result: IteratorResult<AnswerStreamEvent>;
}
