/** Web Locks in memory, for Node, which has none: exclusive locks, and waiting that can be given up. */
type Held = (lock: Lock | null) => unknown;

export function createMemoryLocks(): LockManager {
  const queues = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, number>();
  const request = (name: string, ...rest: readonly unknown[]) => {
    const act = rest.at(-1) as Held;
    const { signal, ifAvailable } = (rest.length > 1 ? rest[0] : {}) as LockOptions;
    const count = waiting.get(name) ?? 0;
    if (ifAvailable && count > 0) return Promise.resolve(act(null));
    waiting.set(name, count + 1);
    const before = queues.get(name) ?? Promise.resolve();
    const given = new Promise<void>((resolve, reject) => {
      before.then(() => resolve());
      signal?.addEventListener("abort", () => reject(signal.reason as Error));
    });
    const work = given.then(() => act({ name, mode: "exclusive" }));
    const over = () => void waiting.set(name, (waiting.get(name) ?? 1) - 1);
    const done = work.then(over, over);
    queues.set(
      name,
      before.then(() => done),
    );
    return work;
  };
  return { request, query: async () => ({}) } as unknown as LockManager;
}
