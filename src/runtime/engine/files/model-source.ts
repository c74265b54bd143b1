/** The source of a model's files: an address (`url-source.ts`), or files that the user picked (`files-source.ts`). */

import type { LoadProgress } from "../base/model-reference.ts";
import type { DownloadOptions } from "../download/download.ts";
import type { FolderFile } from "../download/list-weights.ts";

export interface ReadOptions
  extends Pick<DownloadOptions, "kind" | "maxBytes" | "signal" | "stallMs" | "checkHead"> {
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

export interface ModelSource {
  /** The name of this source in messages. */
  readonly address: string;
  /**
   * Reads a whole file by its path in the folder.
   * @throws ModelFileError, with status 404 if there is no such file; the signal's reason when cancelled.
   */
  read(file: string, options: ReadOptions): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Like `read`, for files that are too large to hold twice. When it resolves, the file is completely downloaded, and slices
   * of the blob can be read. Reading a slice rejects with a NotReadableError if the cached file was deleted or changed
   * meanwhile.
   */
  open(file: string, options: ReadOptions): Promise<Blob>;
  /**
   * Checks all cached files of the model and downloads their damaged parts again. Called after a load failed.
   * @returns the paths of the repaired files; empty if nothing is cached.
   * @throws as `read` does
   */
  repair?(options: Pick<ReadOptions, "signal" | "onProgress">): Promise<readonly string[]>;
  /**
   * The files of the folder's `onnx/`, and perhaps others. If the address cannot be reached, only the cached files.
   * @throws ModelFileError if neither list is available; the signal's reason when cancelled.
   */
  list(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly FolderFile[]>;
}
