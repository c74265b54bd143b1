/**
 * After a large model was downloaded, asks the browser not to clear its storage. Asks only once, because some browsers ask the
 * user.
 */
import type { StoreApi } from "zustand/vanilla";
import { browserStorages } from "../store/browser-storage.ts";
import type { ModelState } from "../store/model-store.ts";

const key = "midtoken.persist.v1";

/** The dialog about saved data offers to ask again. Never rejects. */
export async function askToPersist(
  browser: Partial<StorageManager> | undefined = globalThis.navigator?.storage,
  memory: Pick<Storage, "getItem" | "setItem"> = browserStorages().browser,
): Promise<void> {
  try {
    if (!browser?.persist || (await browser.persisted?.())) return;
    if (memory.getItem(key) !== null) return;
    memory.setItem(key, "asked");
    await browser.persist();
  } catch {
    // The browser has no storage here, or does not reply: models may then be downloaded again one day.
  }
}

/** Calls `ask` whenever a model from another server than the page's is loaded. Returns a function that stops this. */
export function askPersistAfterModel(
  model: StoreApi<ModelState>,
  ask: () => unknown = askToPersist,
  pageOrigin: string = location.origin,
): () => void {
  return model.subscribe(({ choice, status }, before) => {
    if (status.type !== "ready" || status === before.status || !choice) return;
    const { protocol, origin } = new URL(choice.reference.url);
    if (/^https?:$/.test(protocol) && origin !== pageOrigin) ask();
  });
}
