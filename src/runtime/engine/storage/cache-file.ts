/** Reads a file of a model from the store. If it is not complete there, downloads it into the store. */
import { hostInMessages } from "../../../core/base/invalid-address.ts";
import { formatBytes } from "../../../core/base/number-text.ts";
import { unknownMetadata } from "../base/byte-sink.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { type DownloadOptions, downloadChunk, downloadInto } from "../download/download.ts";
import { type CheckHead, headBytes } from "../download/head-check.ts";
import { BlockSink, StorageShortageError } from "./block-sink.ts";
import { blockRange, type CachedFile } from "./cached-file.ts";
import type { CachedFolder } from "./cached-folder.ts";
import { type FileRecord, storedBytesOf } from "./file-record.ts";
import type { HubFileMetadata } from "./hub-version.ts";
import type { ModelStore } from "./model-store.ts";
import { gitHash } from "./sha256.ts";
import { createProgressSender, receiveProgress } from "./shared-progress.ts";

export interface CacheFileOptions extends Omit<DownloadOptions, "onBytes" | "expected"> {
  readonly store: ModelStore;
  readonly folder: CachedFolder;
  /** Address of the file, at the folder's commit. */
  readonly url: string;
  /** `resumedBytes`: bytes that an earlier download had stored. */
  readonly onProgress?: ((progress: CacheFileProgress) => void) | undefined;
  /** Called with a sentence if the file could not be stored. */
  readonly onNotice?: ((notice: string) => void) | undefined;
  /** Whether it is an error if the file does not fit into the storage. By default such a file stays in memory. */
  readonly mustStore?: boolean | undefined;
}

export interface CacheFileProgress {
  readonly loadedBytes: number;
  readonly totalBytes: number;
  /** Whether the whole file was cached. */
  readonly fromCache: boolean;
  /** Absent if the storage refused a write: the bytes are lost if the download stops. */
  readonly resumedBytes?: number;
}

/**
 * Returns the whole file. Blocks that are missing or have another size are downloaded again; the bytes of the others are not checked.
 * If several tabs need the file, one tab downloads it for all.
 * @throws ModelFileError as `downloadInto` does, and if two downloads of the file did not match its hash; the signal's
 * reason when cancelled. Received bytes stay, and the next attempt resumes after them.
 */
export async function cacheFile(options: CacheFileOptions): Promise<Blob> {
  const { store, folder, file, signal, onProgress } = options;
  const listedFiles = folder.record.files;
  if (listedFiles !== null && !Object.hasOwn(listedFiles, file)) throw notListedError(file, folder);
  const cachedFile = await folder.file(file);
  const cached = await openWhole(cachedFile, options);
  if (cached) return cached;
  const name = `midtoken-model ${folder.place}/${file}`;
  let stopListening = (): void => {};
  const listenToOtherTab = (): void => {
    // Bytes that arrived before this tab listened must not count for the speed.
    let resumedBytes: number | null = null;
    stopListening = receiveProgress(name, (loadedBytes, totalBytes) => {
      resumedBytes ??= loadedBytes;
      onProgress?.({ loadedBytes, totalBytes, fromCache: false, resumedBytes });
    });
  };
  try {
    return await store.locks.run(
      name,
      async () => {
        stopListening();
        return (
          (await openWhole(cachedFile, options)) ??
          (await fetchFile(cachedFile, name, options).catch((error: unknown) =>
            recordMissing(cachedFile, error, options),
          ))
        );
      },
      { signal, onWait: listenToOtherTab },
    );
  } finally {
    stopListening();
  }
}

/**
 * Records that the server has no such file, so that a model without optional files also loads offline.
 * @throws always: the error, or that the file does not exist.
 */
async function recordMissing(
  cachedFile: CachedFile,
  error: unknown,
  { folder, file, url }: CacheFileOptions,
): Promise<never> {
  if (!(error instanceof ModelFileError) || !folder.isStored) throw error;
  if (error.status === 404) {
    await cachedFile
      .save({ path: file, state: "missing", facts: unknownMetadata, blocks: [], blockBytes: 0 })
      .catch(() => undefined);
  } else if (error.status === null && (await cachedFile.record())?.state === "missing") {
    const message = `The server cannot be reached. When it last answered, ${file} did not exist at ${url} (HTTP 404).`;
    throw new ModelFileError(message, file, 404, { cause: error });
  }
  throw error;
}

function notListedError(file: string, { record }: CachedFolder): ModelFileError {
  return new ModelFileError(
    `${file} is not among the files of ${record.url} (commit ${record.commit?.slice(0, 8)}, HTTP 404). Check the model's id and its revision.`,
    file,
    404,
  );
}

/** The stored file, with damaged parts repaired; null if it must be downloaded. */
async function openWhole(cachedFile: CachedFile, options: CacheFileOptions): Promise<Blob | null> {
  const record = await cachedFile.record();
  if (record?.state !== "whole") return null;
  const size = storedBytesOf(record);
  const blobOrDamagedBlocks = await cachedFile.open(record);
  if (blobOrDamagedBlocks instanceof Blob) {
    options.onProgress?.({ loadedBytes: size, totalBytes: size, fromCache: true, resumedBytes: size });
    return blobOrDamagedBlocks;
  }
  if (!(await repairBlocks(cachedFile, record, blobOrDamagedBlocks, options))) return null;
  const repaired = await cachedFile.open(record);
  return repaired instanceof Blob ? repaired : null;
}

/**
 * Downloads damaged blocks again. @returns whether the file is complete; if not, the server's file has changed, and the
 * stored file was removed
 */
export async function repairBlocks(
  cachedFile: CachedFile,
  record: FileRecord,
  damagedBlocks: readonly number[],
  options: Pick<
    CacheFileOptions,
    "url" | "onProgress" | "kind" | "file" | "signal" | "fetch" | "retryDelayMs"
  >,
): Promise<boolean> {
  const totalBytes = storedBytesOf(record);
  let loadedBytes =
    totalBytes - damagedBlocks.reduce((sum, index) => sum + (record.blocks[index]?.bytes ?? 0), 0);
  const resumedBytes = loadedBytes;
  for (const index of damagedBlocks) {
    const block = record.blocks[index];
    if (!block) continue;
    const { start, end } = blockRange(index, record);
    options.onProgress?.({ loadedBytes, totalBytes, fromCache: false, resumedBytes });
    const content = await downloadChunk(options.url, start, end, { ...options, cache: "no-store" }).catch(
      (cause: unknown) => {
        options.signal?.throwIfAborted();
        if (cause instanceof ModelFileError && cause.status === null) return null;
        throw cause;
      },
    );
    const written = content && (await cachedFile.writeBlock(index, content));
    if (written?.sha256 !== block.sha256) {
      await cachedFile.remove();
      return false;
    }
    loadedBytes += block.bytes;
  }
  options.onProgress?.({ loadedBytes, totalBytes, fromCache: false, resumedBytes });
  return true;
}

async function fetchFile(cachedFile: CachedFile, name: string, options: CacheFileOptions): Promise<Blob> {
  const { store, folder, file, url, onProgress } = options;
  const expected = folder.record.files?.[file];
  const sink = await BlockSink.resume(cachedFile, {
    blockBytes: store.blockBytes,
    shortage: (bytes) => store.shortage(file, bytes),
    onFull: (cause) => reportNotStored(cause, sink.metadata?.size ?? null, options),
  });
  const resumedBytes = sink.length;
  if (options.checkHead && resumedBytes > 0) await checkPartialFile(cachedFile, options.checkHead);
  let isHeadRefused = false;
  const checkHead: CheckHead | undefined =
    options.checkHead &&
    ((head) => {
      isHeadRefused = true;
      options.checkHead?.(head);
      isHeadRefused = false;
    });
  const otherTabs = createProgressSender(name);
  const onBytes = (loadedBytes: number, totalBytes: number): void => {
    otherTabs.tell(loadedBytes, totalBytes);
    onProgress?.({ loadedBytes, totalBytes, fromCache: false, ...(sink.isStoring && { resumedBytes }) });
  };
  try {
    for (let attempt = 1; ; attempt++) {
      await downloadInto(url, sink, { ...options, checkHead, onBytes, expected, cache: "no-store" });
      const digest = sink.digest();
      const expectedDigest = sink.metadata?.sha256 ?? null;
      const isIntact = expectedDigest === null || expectedDigest === digest;
      const content = isIntact ? await sink.finish(digest) : null;
      if (content && (await matchesListedHash(content, expected))) return content;
      await sink.begin(sink.metadata ?? unknownMetadata);
      if (attempt === 1) continue;
      await cachedFile.remove();
      throw wrongHashError(file, url);
    }
  } catch (error) {
    // The file was refused by its beginning. Bytes of an earlier download stay, because another device may use the file.
    if (isHeadRefused && resumedBytes === 0) await cachedFile.remove().catch(() => undefined);
    else await sink.storeRest();
    throw error;
  } finally {
    otherTabs.close();
  }
}

/** Checks the stored beginning too: an earlier download may have been for another device. */
async function checkPartialFile(cachedFile: CachedFile, check: CheckHead): Promise<void> {
  const first = await cachedFile.block(0);
  if (first) check(new Uint8Array(await first.slice(0, headBytes).arrayBuffer()));
}

async function matchesListedHash(content: Blob, expected: HubFileMetadata | undefined): Promise<boolean> {
  return !expected?.gitHash || expected.gitHash === (await gitHash(content));
}

function wrongHashError(file: string, url: string): ModelFileError {
  return new ModelFileError(
    `${file} arrived twice from ${hostInMessages(url)} with bytes that do not match its hash. Something between this computer and the server changes the file, or the server's copy is damaged: try another network, or another revision.`,
    file,
  );
}

/** Reports that a file does not fit. @throws ModelFileError if the file must be stored */
function reportNotStored(cause: unknown, size: number | null, options: CacheFileOptions): void {
  const { file, store, mustStore, onNotice } = options;
  const what = size === null ? file : `${file} (${formatBytes(size)})`;
  const code = codeOf(cause);
  const name = code ?? (cause instanceof Error ? cause.name : String(cause));
  const why =
    cause instanceof StorageShortageError
      ? cause.message
      : `${what} could not be saved in ${store.name} (${name}).`;
  const isUnwritable = code !== null && unwritableCodes.includes(code);
  const advice = isUnwritable
    ? "Set cacheFolder to a folder that this program may write to"
    : "Delete other models or free disk space";
  if (mustStore) throw new ModelFileError(`${why} ${advice}, and try again.`, file, null, { cause });
  onNotice?.(`${why} The model works now, but this file will be downloaded again next time. ${advice}.`);
}

/** Node's error codes for a folder that cannot be written. */
const unwritableCodes: readonly string[] = ["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR"];

/** The code of an error from Node's file system. */
function codeOf(cause: unknown): string | null {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" ? code : null;
}
