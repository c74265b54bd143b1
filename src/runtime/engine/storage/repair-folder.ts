/** Compares all stored files of a model with their recorded hashes. */
import type { DownloadOptions } from "../download/download.ts";
import { type CacheFileProgress, repair } from "./cache-file.ts";
import { addressOf, type CachedFolder } from "./cached-folder.ts";
import { bytesOf } from "./file-record.ts";

interface RepairOptions extends Pick<DownloadOptions, "signal" | "fetch" | "retryDelayMs"> {
  /** Called for each file that is downloaded again. */
  readonly onProgress?: (file: string, progress: CacheFileProgress) => void;
  /** Bytes that were read, and of how many. */
  readonly onChecked?: (done: number, all: number) => void;
}

/**
 * Reads every whole file that is kept in the folder, and fetches the blocks again that are not what came.
 * @param address where the files of the folder's commit lie.
 * @returns the paths of the files that were damaged: they are whole again, or gone where the server has another file by now.
 * @throws ModelFileError when what is damaged cannot be fetched; the signal's reason when cancelled.
 */
export async function repairFolder(
  { folder, address }: { readonly folder: CachedFolder; readonly address: string },
  { onProgress, onChecked, ...network }: RepairOptions,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  const records = (await folder.fileRecords()).filter(({ state }) => state === "whole");
  const all = records.reduce((sum, record) => sum + bytesOf(record), 0);
  let done = 0;
  const onRead = (bytes: number): void => {
    done += bytes;
    onChecked?.(done, all);
  };
  for (const record of records) {
    const { path } = record;
    const kept = await folder.file(path);
    const wrong = await kept.wrongBlocks(record, { signal: network.signal, onRead });
    if (wrong.length === 0) continue;
    damaged.push(path);
    await repair(kept, record, wrong, {
      ...network,
      file: path,
      kind: "binary" as const,
      url: addressOf(address, path),
      onProgress: (progress) => onProgress?.(path, progress),
    });
  }
  return damaged;
}
