/**
 * An id of this tab that survives a reload. A duplicated tab starts with a copy of the first tab's storage, and so finds
 * the id taken and makes one of its own.
 */
import { newId } from "./new-id.ts";

const key = "midtoken.tab";

/** How many milliseconds a page that is being left may still hold its id. */
const longestWaitMs = 500;

export async function tabId(storage: Storage, locks: LockManager | undefined): Promise<string> {
  const kept = storage.getItem(key);
  if (kept !== null && (await isFree(kept, locks))) return kept;
  const id = newId();
  storage.setItem(key, id);
  await isFree(id, locks);
  return id;
}

/**
 * Whether no other page holds the id; if so, this page holds it for as long as it lives. Without locks, which only secure
 * pages have, every id counts as free.
 */
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
