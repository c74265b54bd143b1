/** Models that this browser caches: models of the hub, which the engine stores when it loads them, and models of the user's folder, if the user asks for it. */
import { inParallel } from "../../../core/base/in-parallel.ts";
import { checkOptionKeys, type OptionKeys } from "../../../core/base/known-keys.ts";
import { ModelFileError } from "../../engine/base/model-file-error.ts";
import { openBrowserModelStore } from "../../engine/storage/browser-store.ts";
import { cacheFile } from "../../engine/storage/cache-file.ts";
import { addressInFolder } from "../../engine/storage/cached-folder.ts";
import { fetchHubVersion, folderAtRevision } from "../../engine/storage/hub-version.ts";
import type { CachedModel, ModelStore } from "../../engine/storage/model-store.ts";
import { repairFolder } from "../../engine/storage/repair-folder.ts";
import { findNewerVersion, updateModel } from "../../engine/storage/update-model.ts";
import type { CatalogEntry } from "../shared/catalog.ts";
import { filesToCache, type ModelFile } from "./files-to-cache.ts";

export type { CachedModel };

async function usable(given: ModelStore | undefined): Promise<ModelStore> {
  const store = given ?? (await openBrowserModelStore());
  if (store) return store;
  throw new Error(
    "This browser does not save files for this page. Open the page at https:// or localhost, and not in a private window.",
  );
}

/** @throws Error if the browser refuses its storage. */
export async function listCachedModels(store?: ModelStore): Promise<readonly CachedModel[]> {
  return (await usable(store)).list();
}

/** @throws Error if the browser refuses its storage. */
export async function removeCachedModel(url: string, store?: ModelStore): Promise<void> {
  await (await usable(store)).remove(url);
}

export interface CacheModelOptions {
  readonly signal: AbortSignal;
  readonly store?: ModelStore;
  readonly fetch?: typeof fetch;
  /** `done`: stored bytes; `all`: the model's bytes, as far as known. */
  onProgress(done: number, all: number): void;
}

const cacheKeys: OptionKeys<CacheModelOptions> = { signal: true, store: true, fetch: true, onProgress: true };

/** How many files are downloaded at the same time. */
const atOnce = 3;

/**
 * Downloads the model's files into the cache. Cached files stay, and partial files are resumed. Bytes of a failed or stopped
 * download stay too.
 * @throws ModelFileError that says which file and why, also if it does not fit; the signal's reason when aborted.
 */
export async function cacheModel(entry: CatalogEntry, options: CacheModelOptions): Promise<void> {
  checkOptionKeys("cacheModel", options, cacheKeys);
  const { signal, fetch, onProgress } = options;
  const store = await usable(options.store);
  const { url } = entry.reference;
  const folder = await store.currentOr(url, () => fetchHubVersion(url, { fetch, signal }));
  const { commit, files: listed } = folder.record;
  const address = commit === null ? url : folderAtRevision(url, commit);
  const files = await filesToCache(entry, listed, { address, fetch, signal });
  const sizes = new Map(files.map(({ path, bytes }) => [path, bytes]));
  const done = new Map<string, number>();
  const sum = (numbers: Iterable<number | null>): number =>
    [...numbers].reduce<number>((all, each) => all + (each ?? 0), 0);
  const count = (path: string, loaded: number, total: number): void => {
    done.set(path, loaded);
    sizes.set(path, Math.max(total, loaded));
    const came = sum(done.values());
    const isListed = files.every(({ bytes }) => bytes !== null);
    onProgress(came, Math.max(came, sum(sizes.values()), isListed ? 0 : entry.downloadBytes));
  };
  const keep = async ({ path, optional: isOptional }: ModelFile, joint: AbortSignal): Promise<void> => {
    try {
      await cacheFile({
        store,
        folder,
        file: path,
        signal: joint,
        fetch,
        mustStore: true,
        kind: path.startsWith("onnx/") ? "binary" : "text",
        maxBytes: Number.MAX_SAFE_INTEGER,
        url: addressInFolder(address, path),
        onProgress: ({ loadedBytes, totalBytes }) => count(path, loadedBytes, totalBytes),
      });
    } catch (cause) {
      if (!(isOptional && cause instanceof ModelFileError && cause.status === 404)) throw cause;
      sizes.set(path, 0);
    }
  };
  await inParallel(files, { atOnce, signal }, keep);
}

/** Asks the hub whether it has a newer version of a cached model. @throws Error if the browser refuses its storage */
export async function hasNewerVersion(url: string, store?: ModelStore): Promise<boolean> {
  const folder = await (await usable(store)).current(url);
  return folder !== null && (await findNewerVersion(folder, {})) !== null;
}

/** Downloads the hub's newer version of a cached model. @returns false if the cached version is the hub's @throws as `updateModel` of the engine's storage */
export async function updateCachedModel(url: string, options: CacheModelOptions): Promise<boolean> {
  checkOptionKeys("updateCachedModel", options, cacheKeys);
  const { signal, store, fetch, onProgress } = options;
  return updateModel(await usable(store), url, { signal, fetch, onProgress });
}

/**
 * Reads all cached files of a model, reports how much was read, and downloads damaged blocks again.
 * @returns the paths of the damaged files. @throws ModelFileError if they cannot be downloaded; the signal's reason
 */
export async function repairCachedModel(url: string, options: CacheModelOptions): Promise<readonly string[]> {
  checkOptionKeys("repairCachedModel", options, cacheKeys);
  const { signal, store, fetch, onProgress } = options;
  const folder = await (await usable(store)).current(url);
  if (folder === null) return [];
  const { commit } = folder.record;
  const address = commit === null ? url : folderAtRevision(url, commit);
  return repairFolder({ folder, address }, { signal, fetch, onChecked: onProgress });
}
