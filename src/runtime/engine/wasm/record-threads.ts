/**
 * Records the threads of one instance of the runtime. The runtime makes all its workers when it is created and keeps them
 * private, exports nothing that ends them, and waits for ever if a worker does not start.
 */
import { messageOf } from "../../../core/base/message-of.ts";

/** A worker that could not be made or did not start, for example because a policy forbids it. */
export class ThreadStartError extends Error {
  override readonly name = "ThreadStartError";
}

export interface RecordedThreads<T> {
  readonly made: T;
  /** Rejects with a ThreadStartError if a worker fails. */
  readonly failed: Promise<never>;
  /** Ends all workers. */
  close(): void;
}

/** Runs `make`, and records every worker that it starts before it returns. @throws ThreadStartError if a worker cannot be made */
export function recordThreads<T>(make: () => T): RecordedThreads<T> {
  const workers: Worker[] = [];
  let fail: (error: ThreadStartError) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);
  const close = (): void => {
    for (const worker of workers) worker.terminate();
  };
  const Original = globalThis.Worker as typeof Worker | undefined;
  if (!Original) return { made: make(), failed, close };
  globalThis.Worker = class extends Original {
    constructor(...options: ConstructorParameters<typeof Worker>) {
      try {
        super(...options);
      } catch (cause) {
        throw new ThreadStartError(messageOf(cause), { cause });
      }
      workers.push(this);
      this.addEventListener("error", (event) => {
        // The runtime would throw the error where nobody can catch it.
        event.stopImmediatePropagation();
        event.preventDefault();
        fail(new ThreadStartError(event.message || "the browser does not say why"));
      });
    }
  };
  try {
    return { made: make(), failed, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    globalThis.Worker = Original;
  }
}
