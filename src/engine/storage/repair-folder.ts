/** Everything that is kept of a model, held against what came. */
import type { DownloadOptions } from "../download.ts";
import { type KeepProgress, repair } from "./keep-file.ts";
import { addressOf, type KeptFolder } from "./kept-folder.ts";

interface RepairOptions extends Pick<DownloadOptions, "signal" | "fetch" | "retryDelayMs"> {
  readonly onProgress?: (file: string, progress: KeepProgress) => void;
}

/**
 * Reads every whole file that is kept in the folder, and fetches the blocks again that are not what came.
 * @param address where the files of the folder's commit lie.
 * @returns the paths of the files that were damaged: they are whole again, or gone where the server has another file by now.
 * @throws ModelFileError when what is damaged cannot be fetched; the signal's reason when cancelled.
 */
export async function repairFolder(
  { folder, address }: { readonly folder: KeptFolder; readonly address: string },
  { onProgress, ...network }: RepairOptions,
): Promise<readonly string[]> {
  const damaged: string[] = [];
  for (const record of await folder.fileRecords()) {
    if (record.state !== "whole") continue;
    const { path } = record;
    const kept = await folder.file(path);
    const wrong = await kept.wrongBlocks(record, network.signal);
    if (wrong.length === 0) continue;
    damaged.push(path);
    await repair(kept, record, wrong, {
      ...{ ...network, file: path, kind: "binary" as const, url: addressOf(address, path) },
      onProgress: (progress) => onProgress?.(path, progress),
    });
  }
  return damaged;
}
