/** Where the files of a model come from: an address, or files that the user picked. */

import { formatBytes } from "../base/number-text.ts";
import { browserCache, type FileCache } from "./cache.ts";
import { type DownloadOptions, download } from "./download.ts";
import { dtypeNames, graphPath } from "./dtype.ts";
import { listFolder } from "./list-folder.ts";
import type { FolderFile } from "./list-weights.ts";
import { ModelFileError } from "./model-file-error.ts";
import type { LoadProgress } from "./model-reference.ts";

export interface ReadOptions extends Pick<DownloadOptions, "kind" | "maxBytes" | "signal"> {
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

export interface ModelSource {
  /** Shown in messages. */
  readonly address: string;
  /**
   * Reads a whole file by its path in the folder.
   * @throws ModelFileError, with status 404 where there is no such file; the signal's reason when cancelled.
   */
  read(file: string, options: ReadOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Like `read`, for files that are too large to hold twice: once it resolves, the file is there whole, and its bytes are read by
   * slices when they are asked for. A slice rejects with a NotReadableError when the kept file was deleted or changed meanwhile.
   */
  open(file: string, options: ReadOptions): Promise<Blob>;
  /**
   * The files of the folder's `onnx/`, and perhaps others. Of a folder behind an address that cannot be reached, those that are kept.
   * @throws ModelFileError where nothing can be told; the signal's reason when cancelled.
   */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly FolderFile[]>;
}

const hubHost = "https://huggingface.co";

/** Address of a hub model's folder, ending in `/`. @throws Error when `id` is not `owner/name`. */
export function hubFolder(id: string, revision = "main", host = hubHost): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(id) || id.includes("..")) {
    throw new Error(`"${id}" is not a model of the hub: ids look like HuggingFaceTB/SmolLM2-135M-Instruct.`);
  }
  if (!/^[\w./-]+$/.test(revision) || revision.includes("..")) {
    throw new Error(`"${revision}" is not a revision: give a branch, a tag or a commit.`);
  }
  return `${host}/${id}/resolve/${encodeURIComponent(revision)}/`;
}

export interface UrlSourceOptions extends Pick<DownloadOptions, "fetch" | "retryDelayMs"> {
  /** Where files are kept; null: nowhere. Unless given, the browser's, except for files of the page's own server. */
  readonly cache?: FileCache | null | undefined;
  /** Told when a file could not be kept, in a sentence. */
  readonly onNotice?: ((notice: string) => void) | undefined;
}

/** The files under an http(s) folder address. @throws Error for another kind of address. */
export function urlSource(folder: string, options: UrlSourceOptions = {}): ModelSource {
  const base = URL.canParse(folder) ? new URL(folder) : null;
  if (base?.protocol !== "http:" && base?.protocol !== "https:") {
    throw new Error(
      `"${folder}" is not the address of a model's folder: give one that begins with https://.`,
    );
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  const address = base.href;
  const cache = options.cache === undefined ? cacheFor(base) : options.cache;
  const urlOf = (file: string): string =>
    new URL(safePath(file).split("/").map(encodeURIComponent).join("/"), base).href;
  /** What `look` finds of the file in the cache, or the file's bytes, which are then kept. */
  async function keptOrFetched<Kept>(
    file: string,
    { onProgress, ...request }: ReadOptions,
    look: (cache: FileCache, url: string) => Promise<Kept | null>,
    sizeOf: (kept: Kept) => number,
  ): Promise<Kept | Uint8Array<ArrayBuffer>> {
    const url = urlOf(file);
    const report = (loadedBytes: number, totalBytes: number, fromCache: boolean): void =>
      onProgress?.({ stage: "download", file, loadedBytes, totalBytes, fromCache });
    request.signal?.throwIfAborted();
    const kept = await fromCache(cache, (files) => look(files, url), options.onNotice);
    request.signal?.throwIfAborted();
    if (kept) {
      report(sizeOf(kept), sizeOf(kept), true);
      return kept;
    }
    const content = await download(url, {
      ...request,
      file,
      fetch: options.fetch,
      retryDelayMs: options.retryDelayMs,
      onBytes: (loaded, total) => report(loaded, total, false),
    });
    await keep(cache, url, content, file, options.onNotice);
    return content;
  }
  return {
    address,
    read: (file, reading) =>
      keptOrFetched(
        file,
        reading,
        (files, url) => files.get(url),
        ({ length }) => length,
      ),
    async open(file, reading) {
      const content = await keptOrFetched(
        file,
        reading,
        (files, url) => files.open(url),
        ({ size }) => size,
      );
      if (content instanceof Blob) return content;
      // Kept just now, it need not stay in memory.
      const kept = await fromCache(cache, (files) => files.open(urlOf(file)), options.onNotice);
      return kept ?? new Blob([content]);
    },
    async list({ signal } = {}) {
      try {
        return await listFolder(address, { fetch: options.fetch, signal });
      } catch (error) {
        signal?.throwIfAborted();
        const kept = await Promise.all(dtypeNames.map((dtype) => keptFile(cache, urlOf, graphPath(dtype))));
        const files = kept.filter((file) => file !== null);
        if (files.length > 0) return files;
        throw error;
      }
    },
  };
}

async function keptFile(
  cache: FileCache | null,
  urlOf: (file: string) => string,
  path: string,
): Promise<FolderFile | null> {
  const content = await fromCache(cache, (files) => files.open(urlOf(path)));
  // Its external data is not looked for, so the size of all of it is not known.
  return content && { path, bytes: null };
}

function cacheFor(base: URL): FileCache | null {
  const isOwn = typeof location !== "undefined" && base.origin === location.origin;
  return isOwn ? null : browserCache();
}

async function fromCache<Kept>(
  cache: FileCache | null,
  look: (cache: FileCache) => Promise<Kept | null>,
  onNotice?: (notice: string) => void,
): Promise<Kept | null> {
  try {
    return cache && (await look(cache));
  } catch (error) {
    onNotice?.(`The browser's storage cannot be read (${reason(error)}); the files are downloaded again.`);
    return null;
  }
}

async function keep(
  cache: FileCache | null,
  url: string,
  content: Uint8Array<ArrayBuffer>,
  file: string,
  onNotice?: (notice: string) => void,
): Promise<void> {
  try {
    await cache?.put(url, content);
  } catch (error) {
    onNotice?.(
      `${file} (${formatBytes(content.length)}) could not be kept in the browser's storage (${reason(error)}): it works now and will be downloaded again next time. Delete other models or free disk space.`,
    );
  }
}

function reason(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

/** A path that stays in the folder: names of external data come from the file of a stranger. */
function safePath(file: string): string {
  const isSafe = file.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (isSafe && !/[\\:\0]/.test(file)) return file;
  throw new ModelFileError(
    `"${file}" is not a path inside a model's folder. The model file is damaged or hostile.`,
    file,
  );
}
