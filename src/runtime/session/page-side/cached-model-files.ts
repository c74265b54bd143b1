import { browserModelStore } from "../../engine/storage/browser-store.ts";

/** A file by its address; null if it is not kept whole. @throws when the browser refuses its storage. */
export async function openCachedFile(url: string): Promise<Blob | null> {
  return (await (await browserModelStore())?.openByAddress(url)) ?? null;
}
