/** A name of this tab that survives a reload. A duplicated tab has the storage of the first, and gets a name of its own. */
import { newId } from "./new-id.ts";

const key = "midtoken.tab";

/** How long a page that is being left may hold its name, in milliseconds. */
const longestWaitMs = 500;

export async function tabId(storage: Storage, locks: LockManager | undefined): Promise<string> {
  const kept = storage.getItem(key);
  if (kept !== null && (await isFree(kept, locks))) return kept;
  const id = newId();
  storage.setItem(key, id);
  await isFree(id, locks);
  return id;
}

/** Takes the name for as long as the page lives. Without locks, which only secure pages have, every name is free. */
function isFree(id: string, locks: LockManager | undefined): Promise<boolean> {
  if (!locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true);
      return new Promise(() => {});
    };
    locks
      .request(`${key} ${id}`, { signal: AbortSignal.timeout(longestWaitMs) }, hold)
      .catch(() => resolve(false));
  });
}
