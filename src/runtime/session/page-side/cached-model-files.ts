import { openBrowserModelStore } from "../../engine/storage/browser-store.ts";

/** A file by its address; null if it is not completely cached. @throws Error if the browser refuses its storage */
export async function openCachedFile(url: string): Promise<Blob | null> {
  return (await (await openBrowserModelStore())?.openByAddress(url)) ?? null;
}
