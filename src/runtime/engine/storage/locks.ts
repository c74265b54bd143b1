/** Work of one name, one at a time. */
import { Mutex } from "../base/mutex.ts";

export interface Locks {
  /**
   * Does `work` when nobody else does work of this name.
   * @param onWait called once when it has to wait.
   * @throws the signal's reason when cancelled while it waits; what `work` throws.
   */
  run<Result>(
    name: string,
    work: () => Promise<Result>,
    options?: { readonly signal?: AbortSignal | undefined; readonly onWait?: () => void },
  ): Promise<Result>;
}

/** Locks of this program alone, for browsers without Web Locks. */
export function ownLocks(): Locks {
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
