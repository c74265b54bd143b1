/** Asks the browser not to clear what it keeps by itself, once a model was fetched that takes long to have again. Once: some browsers ask the user. */
import type { StoreApi } from "zustand/vanilla";
import { browserStorages } from "../store/browser-storage.ts";
import type { ModelState } from "../store/model-store.ts";

const key = "midtoken.persist.v1";

/** The dialog of what is kept offers to ask again. Never rejects. */
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
    // It keeps nothing here, or answers nobody: then models are fetched again one day.
  }
}

/** Asks when a model of another server than the page's is there; answers with what ends it. */
export function persistFirstModel(
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
