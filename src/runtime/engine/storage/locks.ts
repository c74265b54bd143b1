/** Locks by name: work with the same name runs one at a time. */
import { Mutex } from "../base/mutex.ts";

export interface Locks {
  /**
   * Runs `work` when no other work with this name runs.
   * @param onWait called once if it has to wait
   * @throws the signal's reason if cancelled while it waits, and the errors of `work`
   */
  run<Result>(
    name: string,
    work: () => Promise<Result>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onWait?: () => void },
  ): Promise<Result>;
}

/** Locks within this JavaScript context, for browsers without Web Locks. */
export function createLocalLocks(): Locks {
  const waiting = new Map<string, { readonly mutex: Mutex; users: number }>();
  return {
    async run(name, work, { signal, onWait } = {}) {
      signal?.throwIfAborted();
      const line = waiting.get(name) ?? { mutex: new Mutex(), users: 0 };
      waiting.set(name, line);
      line.users += 1;
      if (line.users > 1) onWait?.();
      try {
        return await line.mutex.run(async () => {
          signal?.throwIfAborted();
          return work();
        });
      } finally {
        line.users -= 1;
        if (line.users === 0) waiting.delete(name);
      }
    },
  };
}
