/** The list of models that the local server offers: the model folders in one folder. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isRecord } from "../src/core/base/record.ts";
import type { ListedWeights } from "../src/runtime/engine/base/dtype.ts";
import { weightsAmong } from "../src/runtime/engine/download/list-weights.ts";
import { resolvePathInside } from "./file-inside.ts";
import { isModelFile, modelMetadataFileNames } from "./model-files.ts";
import { isServableFileName } from "./request-checks.ts";

/** An entry of the list of models that the page offers. */
export interface ListedModel {
  readonly id: string;
  /** Address of the folder, relative to the page; ends in `/`. */
  readonly url: string;
  readonly revision: null;
  /** The weights to choose from, each with the size of its graph and external data. */
  readonly weights: readonly ListedWeights[];
  /** config.json; `{}` if the file is not valid JSON, which the page reports when the model is chosen. */
  readonly config: Readonly<Record<string, unknown>>;
  /** All served files of the model. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** Most tokens of context; 0 if config.json does not say. */
  readonly contextLength: number;
}

/** Bytes above which config.json is not read; the page reports that when the model is chosen. */
const mostConfigBytes = 4e6;

/** A folder in the folder of models, with the files that would be served. */
interface ModelFolder {
  readonly name: string;
  /** Sizes in bytes by path, for example of `onnx/model.onnx`. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Some of its files are links that lead out of the folder of models. */
  readonly leadsOut: boolean;
}

/**
 * The model folders in `directory` (folders with `config.json`, `tokenizer.json` and a graph in `onnx/`), sorted by name.
 * `urlPrefix`: the address below which they are served.
 */
export async function listModels(directory: string, urlPrefix = "local-models/"): Promise<ListedModel[]> {
  const folders = await modelFolders(directory);
  const listed = await Promise.all(folders.map((folder) => listedModel(directory, folder, urlPrefix)));
  return listed.filter((model) => model !== null);
}

/** Names of folders in `directory` that are served only in part, because some files are links out of `directory`. */
export async function modelsWithOutsideLinks(directory: string): Promise<string[]> {
  const folders = await modelFolders(directory);
  return folders.filter(({ leadsOut }) => leadsOut).map(({ name }) => name);
}

async function modelFolders(directory: string): Promise<ModelFolder[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && isServableFileName(entry.name))
    .map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => modelFolder(directory, name)));
}

async function modelFolder(directory: string, name: string): Promise<ModelFolder> {
  const graphs = await readdir(join(directory, name, "onnx")).catch((): string[] => []);
  const paths = [...modelMetadataFileNames.map((file) => [file]), ...graphs.map((file) => ["onnx", file])];
  const sizes = new Map<string, number>();
  let leadsOut = false;
  for (const path of paths.filter(isModelFile)) {
    const found = await resolvePathInside(directory, [name, ...path]);
    if (found?.kind === "file") sizes.set(path.join("/"), found.size);
    leadsOut ||= found?.kind === "outside";
  }
  return { name, sizes, leadsOut };
}

async function listedModel(
  directory: string,
  { name, sizes }: ModelFolder,
  urlPrefix: string,
): Promise<ListedModel | null> {
  const configBytes = sizes.get("config.json");
  if (configBytes === undefined || !sizes.has("tokenizer.json")) return null;
  const files = [...sizes].map(([path, bytes]) => ({ path, bytes }));
  const { weights } = weightsAmong(files);
  if (weights.length === 0) return null;
  const config = configBytes > mostConfigBytes ? {} : await readConfig(join(directory, name, "config.json"));
  const { max_position_embeddings: length } = config;
  return {
    id: name,
    url: `${urlPrefix}${encodeURIComponent(name)}/`,
    revision: null,
    weights,
    config,
    files,
    contextLength: Number.isInteger(length) && Number(length) > 0 ? Number(length) : 0,
  };
}

async function readConfig(file: string): Promise<Record<string, unknown>> {
  try {
    const config: unknown = JSON.parse(await readFile(file, "utf8"));
    return isRecord(config) ? config : {};
  } catch {
    return {};
  }
}
