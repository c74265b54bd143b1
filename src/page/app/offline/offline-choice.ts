/** Whether the browser may save the page for use without a network: yes, unless the user said no. */
import { browserStorages } from "../store/browser-storage.ts";

const key = "midtoken.offline.v1";

export function isOfflineWanted(storage: Storage = browserStorages().browser): boolean {
  try {
    return storage.getItem(key) !== "off";
  } catch {
    return true;
  }
}

/** @throws if the browser has no storage. */
export function chooseOfflineUse(wanted: boolean, storage: Storage = browserStorages().browser): void {
  if (wanted) storage.removeItem(key);
  else storage.setItem(key, "off");
}
