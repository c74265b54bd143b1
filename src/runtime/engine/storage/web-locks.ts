/** Locks that all tabs and workers of a site share: the Web Locks API (https://w3c.github.io/web-locks/). */
import type { Locks } from "./locks.ts";

export function createWebLocks(manager: LockManager): Locks {
  return {
    async run(name, work, { signal, onWait } = {}) {
      signal?.throwIfAborted();
      if (onWait) {
        const outcome = await manager.request(name, { ifAvailable: true }, async (lock) =>
          lock === null ? null : { result: await work() },
        );
        if (outcome !== null) return outcome.result;
        onWait();
      }
      return manager.request(name, signal ? { signal } : {}, work);
    },
  };
}
