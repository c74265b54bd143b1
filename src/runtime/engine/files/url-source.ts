/** A model's files at an address, and the cached files of this address. */

import { redactInvalidAddress } from "../../../core/base/invalid-address.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { type DownloadOptions, download } from "../download/download.ts";
import { listOnnxFolder } from "../download/list-folder.ts";
import { openBrowserModelStore } from "../storage/browser-store.ts";
import { cacheFile } from "../storage/cache-file.ts";
import { addressInFolder, type CachedFolder } from "../storage/cached-folder.ts";
import { fetchHubVersion, folderAtRevision } from "../storage/hub-version.ts";
import type { ModelStore } from "../storage/model-store.ts";
import { repairFolder } from "../storage/repair-folder.ts";
import { reportNewerVersion } from "../storage/update-model.ts";
import type { ModelSource } from "./model-source.ts";

export interface UrlSourceOptions extends Pick<DownloadOptions, "fetch" | "retryDelayMs"> {
  /**
   * Where files are cached; null for nowhere. Unless given, the browser's storage, except for files of the page's own
   * server.
   */
  readonly store?: ModelStore | null | undefined;
  /** Called with a sentence for the user that does not stop the load: about a problem, or about a newer version of the model. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** The files under an http(s) folder address. @throws Error for another kind of address. */
export function createUrlSource(folder: string, options: UrlSourceOptions = {}): ModelSource {
  const base = URL.canParse(folder) ? new URL(folder) : null;
  if (base?.protocol !== "http:" && base?.protocol !== "https:") {
    throw new Error(
      `"${redactInvalidAddress(folder)}" is not the address of a model's folder: give an address that begins with https://.`,
    );
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const address = base.href;
  const isOwn = typeof location !== "undefined" && base.origin === location.origin;
  const network = { fetch: options.fetch, retryDelayMs: options.retryDelayMs };
  let openingCache: Promise<FolderCache | null> | null = null;
  /** The cache of the files; null if they are not cached. */
  const openCacheOnce = (signal: AbortSignal | undefined): Promise<FolderCache | null> => {
    openingCache ??= openCache(address, isOwn, options, signal).catch((error: unknown) => {
      // The next load must not get this load's cancellation.
      openingCache = null;
      throw error;
    });
    return openingCache;
  };
  const open: ModelSource["open"] = async (file, { onProgress, ...request }) => {
    request.signal?.throwIfAborted();
    const path = safePath(file);
    const at = await openCacheOnce(request.signal);
    if (at === null) {
      const onBytes = (loadedBytes: number, totalBytes: number): void =>
        onProgress?.({ stage: "download", file, loadedBytes, totalBytes, fromCache: false });
      const url = addressInFolder(address, path);
      return new Blob([await download(url, { ...request, ...network, file, onBytes })]);
    }
    return cacheFile({
      ...request,
      ...network,
      ...at,
      file: path,
      onNotice: options.onNotice,
      url: addressInFolder(at.address, path),
      onProgress: (progress) => onProgress?.({ stage: "download", file, ...progress }),
    });
  };
  return {
    address,
    open,
    read: async (file, reading) => new Uint8Array(await (await open(file, reading)).arrayBuffer()),
    async repair({ signal, onProgress }) {
      const at = await openCacheOnce(signal);
      if (at === null) return [];
      return repairFolder(at, {
        ...network,
        signal,
        onProgress: (file, progress) => onProgress?.({ stage: "download", file, ...progress }),
      });
    },
    async list({ signal } = {}) {
      const folder = (await openCacheOnce(signal))?.folder;
      // Uses the hub's list only if the hub was asked just now. The list of a cached folder may be old, and the hub
      // may be out of reach.
      const listed = folder?.isStored === false ? folder.record.files : null;
      if (listed) return Object.entries(listed).map(([path, { size }]) => ({ path, bytes: size }));
      try {
        return await listOnnxFolder(address, { fetch: options.fetch, signal });
      } catch (error) {
        signal?.throwIfAborted();
        const records = (await folder?.fileRecords()) ?? [];
        const whole = records.filter(({ state, path }) => state === "whole" && path.startsWith("onnx/"));
        // The other files of the folder are unknown.
        if (whole.length > 0) return whole.map(({ path }) => ({ path, bytes: null }));
        throw error;
      }
    },
  };
}

interface FolderCache {
  readonly store: ModelStore;
  readonly folder: CachedFolder;
  /** The address of the folder at its commit. */
  readonly address: string;
}

async function openCache(
  address: string,
  isOwn: boolean,
  { store: storeOption, fetch, onNotice }: UrlSourceOptions,
  signal: AbortSignal | undefined,
): Promise<FolderCache | null> {
  try {
    const openDefaultStore = async () => (isOwn ? null : openBrowserModelStore());
    const store = storeOption === undefined ? await openDefaultStore() : storeOption;
    if (store === null) {
      const isRefused = storeOption === undefined && !isOwn && typeof location !== "undefined";
      if (isRefused)
        onNotice?.(
          "This browser cannot save files for this page, so the model is downloaded again each time.",
        );
      return null;
    }
    const folder = await store.currentOr(address, () => fetchHubVersion(address, { fetch, signal }));
    reportNewerVersion(folder, { fetch, onNotice });
    const { commit } = folder.record;
    return { store, folder, address: commit === null ? address : folderAtRevision(address, commit) };
  } catch (error) {
    signal?.throwIfAborted();
    const name = error instanceof Error ? error.name : String(error);
    onNotice?.(`The storage for models cannot be read (${name}), so the files are downloaded again.`);
    return null;
  }
}

/** A path that cannot leave the folder: the names of external data come from an untrusted file. */
function safePath(file: string): string {
  const isSafe = file.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (isSafe && !/[\\:\0]/.test(file)) return file;
  throw new ModelFileError(
    `"${file}" is not a path inside a model's folder. The model file is damaged or malicious: do not use it.`,
    file,
  );
}
