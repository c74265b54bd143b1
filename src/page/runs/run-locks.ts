/** Marks which tab a run is in progress in, so that no other tab takes the run for an abandoned run. */

const nameOf = (id: string) => `midtoken.run ${id}`;

/** Milliseconds for which a page that is being closed may still hold its run. */
const longestWaitMs = 500;

/** Holds a run until the returned function is called, or the page is gone. */
export function lockRun(id: string, locks: LockManager | undefined): () => void {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  void locks?.request(nameOf(id), () => released);
  return release;
}

/**
 * Whether no page holds the run. Null if that is unknown, because only secure pages have locks. `waits`: whether to wait for a
 * page that is just being closed.
 */
export async function isAbandoned(
  id: string,
  locks: LockManager | undefined,
  { waits }: { readonly waits: boolean },
): Promise<boolean | null> {
  if (!locks) return null;
  if (!waits) return locks.request(nameOf(id), { ifAvailable: true }, (lock) => lock !== null);
  try {
    return await locks.request(nameOf(id), { signal: AbortSignal.timeout(longestWaitMs) }, () => true);
  } catch {
    return false;
  }
}
