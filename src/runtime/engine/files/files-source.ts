/** The files of a model that the user picked from a disk. They are read in place, not copied. */
import { formatBytes } from "../../../core/base/number-text.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { ModelSource, ReadOptions } from "./model-source.ts";

/** Files by their path in the model's folder, for example `onnx/model_q4.onnx`. */
export type PickedFiles = ReadonlyMap<string, Blob>;

/** @param name of the folder, for messages */
export function createFilesSource(name: string, files: PickedFiles): ModelSource {
  const open = async (file: string, { maxBytes, signal, onProgress }: ReadOptions): Promise<Blob> => {
    signal?.throwIfAborted();
    const content = files.get(file);
    if (!content) {
      throw new ModelFileError(
        `${file} is not in the folder ${name}. Pick the folder that contains config.json.`,
        file,
        404,
      );
    }
    const { size } = content;
    if (size > maxBytes) {
      throw new ModelFileError(
        `${file} is ${formatBytes(size)}, but the limit for such a file is ${formatBytes(maxBytes)}. Check that the folder contains a model in ONNX format.`,
        file,
      );
    }
    onProgress?.({ stage: "download", file, loadedBytes: size, totalBytes: size, fromCache: true });
    return content;
  };
  return {
    address: `the folder ${name}`,
    open,
    async read(file, options) {
      const content = await open(file, options);
      try {
        const bytes = new Uint8Array(await content.arrayBuffer());
        options.signal?.throwIfAborted();
        return bytes;
      } catch (cause) {
        options.signal?.throwIfAborted();
        throw new ModelFileError(
          `${file} in the folder ${name} cannot be read: the file was changed or moved. Pick the folder again.`,
          file,
          null,
          { cause },
        );
      }
    },
    list: async () => [...files].map(([path, { size }]) => ({ path, bytes: size })),
  };
}

/** The `source` option of a load; no option if no files were picked. */
export function pickedSourceOption(
  name: string,
  files: PickedFiles | undefined,
): { readonly source?: ModelSource } {
  return files ? { source: createFilesSource(name, files) } : {};
}
