/** Lists the files that loading a model needs, and so the files to download into the cache. */
import { modelGraphPath } from "../../engine/base/dtype.ts";
import { listOnnxFolder } from "../../engine/download/list-folder.ts";
import { type FolderFile, filesForWeights, weightsAmong } from "../../engine/download/list-weights.ts";
import type { CatalogEntry } from "../shared/catalog.ts";

/** A file of a model, relative to its folder. `bytes` is null if the size is unknown before the download. */
export interface ModelFile {
  readonly path: string;
  readonly bytes: number | null;
  /** Whether a model can be loaded without this file. */
  readonly optional: boolean;
}

const required = ["config.json", "tokenizer.json"];
const optional = ["generation_config.json", "tokenizer_config.json", "chat_template.jinja"];

export interface FilesOptions {
  /** The address of the model's folder; ends in `/`. */
  readonly address: string;
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The files that are needed to load the model on WebGPU or on WebAssembly, from the hub's list or the server's list of the
 * folder. Without a list, the folder is assumed to have one unsplit graph file for each dtype.
 * @param listed the hub's list of the folder's files, by path; null if there is none.
 * @throws the signal's reason when it is aborted.
 */
export async function filesToCache(
  { reference, files }: CatalogEntry,
  listed: Readonly<Record<string, { readonly size: number }>> | null,
  { address, fetch, signal }: FilesOptions,
): Promise<readonly ModelFile[]> {
  const dtypes = [...new Set([reference.dtype.webgpu, reference.dtype.wasm])];
  const known = listed ? Object.entries(listed).map(([path, { size }]) => ({ path, bytes: size })) : files;
  if (known) return knownFiles(known, dtypes, listed !== null);
  // If the server refuses the list, the requests for the files will say why.
  const found = await listOnnxFolder(address, { fetch, signal }).catch(() => []);
  signal?.throwIfAborted();
  return [...descriptions(new Map()), ...weightFiles(found, dtypes)];
}

/** @param isWhole whether the list is complete, so that a file that is not in it does not exist */
function knownFiles(
  known: readonly FolderFile[],
  dtypes: readonly string[],
  isWhole: boolean,
): readonly ModelFile[] {
  const bytes = new Map(known.map((file) => [file.path, file.bytes]));
  const others = known.filter(({ path }) => path.startsWith("onnx/"));
  const all = descriptions(bytes);
  const kept = isWhole ? all.filter((file) => bytes.has(file.path) || !file.optional) : all;
  return [...kept, ...weightFiles(others, dtypes)];
}

/** A model's files except its weights. @param bytes known sizes, by path */
function descriptions(bytes: ReadonlyMap<string, number | null>): ModelFile[] {
  const file = (isOptional: boolean) => (path: string) => ({
    path,
    bytes: bytes.get(path) ?? null,
    optional: isOptional,
  });
  return [...required.map(file(false)), ...optional.map(file(true))];
}

/**
 * Graphs and the weight files beside them. If the folder has no weights of a dtype, its graph is listed anyway, so that the
 * download's error names it.
 */
function weightFiles(files: readonly FolderFile[], dtypes: readonly string[]): readonly ModelFile[] {
  const there = new Set<string>(weightsAmong(files).weights.map(({ dtype }) => dtype));
  const missing = dtypes.filter((dtype) => !there.has(dtype)).map(modelGraphPath);
  const wanted = filesForWeights(files, dtypes).filter(
    ({ path }) => !missing.some((graph) => path.startsWith(graph)),
  );
  return [
    ...missing.flatMap((path) => [
      { path, bytes: null, optional: false },
      { path: `${path}_data`, bytes: null, optional: true },
    ]),
    ...wanted.map(({ path, bytes }) => ({ path, bytes, optional: !path.endsWith(".onnx") })),
  ];
}
