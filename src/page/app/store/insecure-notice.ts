/** Tells the user once per tab what the browser withholds from a page at an insecure address. */
import { explainInsecurePage } from "../../../core/base/secure-context.ts";
import type { Stores } from "./stores.ts";

const key = "midtoken.insecure.v1";
const withheld = "WebGPU, saved models, offline use and multithreading";

export function sayIfInsecure({ notices, storages }: Pick<Stores, "notices" | "storages">): void {
  const reason = explainInsecurePage(withheld);
  if (reason === null || storages.tab.getItem(key) !== null) return;
  notices
    .getState()
    .show(`${reason} On this page, models run on WebAssembly and are downloaded again at each visit.`);
  try {
    storages.tab.setItem(key, "said");
  } catch {
    // A tab without room for the mark shows the notice again after a reload.
  }
}
