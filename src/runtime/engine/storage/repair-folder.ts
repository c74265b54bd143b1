/** Compares all stored files of a model with their recorded hashes, and repairs them. */
import type { DownloadOptions } from "../download/download.ts";
import { type CacheFileProgress, repairBlocks } from "./cache-file.ts";
import { addressInFolder, type CachedFolder } from "./cached-folder.ts";
import { storedBytesOf } from "./file-record.ts";

interface RepairOptions extends Pick<DownloadOptions, "signal" | "fetch" | "retryDelayMs"> {
  /** Called for each file while it is downloaded again. */
  readonly onProgress?: (file: string, progress: CacheFileProgress) => void;
  /** Called with the number of checked bytes, and of all bytes. */
  readonly onChecked?: (done: number, all: number) => void;
}

/**
 * Reads every complete file of the folder, and downloads the blocks whose hash is wrong again.
 * @param address the address of the folder at its commit
 * @returns the paths of the damaged files. They are complete again, or removed if the server's file has changed.
 * @throws ModelFileError if a block cannot be downloaded; the signal's reason when cancelled.
 */
export async function repairFolder(
  { folder, address }: { readonly folder: CachedFolder; readonly address: string },
  { onProgress, onChecked, ...network }: RepairOptions,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  const records = (await folder.fileRecords()).filter(({ state }) => state === "whole");
  const all = records.reduce((sum, record) => sum + storedBytesOf(record), 0);
  let done = 0;
  const onRead = (bytes: number): void => {
    done += bytes;
    onChecked?.(done, all);
  };
  for (const record of records) {
    const { path } = record;
    const cachedFile = await folder.file(path);
    const wrong = await cachedFile.wrongBlocks(record, { signal: network.signal, onRead });
    if (wrong.length === 0) continue;
    damaged.push(path);
    await repairBlocks(cachedFile, record, wrong, {
      ...network,
      file: path,
      kind: "binary" as const,
      url: addressInFolder(address, path),
      onProgress: (progress) => onProgress?.(path, progress),
    });
  }
  return damaged;
}
