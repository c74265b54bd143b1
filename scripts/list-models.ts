/** The list of models that the local server offers: the model folders in one folder. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { findInside } from "./file-inside.ts";
import { isModelFile, modelDescriptions } from "./model-files.ts";
import { isServedName } from "./request-checks.ts";

/** An entry of the list of models that the page offers. */
export interface ListedModel {
  readonly id: string;
  /** Address of the folder, relative to the page; ends in `/`. */
  readonly url: string;
  readonly revision: null;
  readonly dtype: { readonly webgpu: string; readonly wasm: string };
  /** Size of the weights that WebAssembly would use. */
  readonly bytes: number;
  /** What loading it may ask for, on either device. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[];
  /** The most tokens that the model was made for; 0 when config.json does not say. */
  readonly contextLength: number;
}

/** File suffix per dtype, in the order of preference. 4-bit graphs are expanded when they are loaded on WebAssembly. */
const dtypeSuffixes = [
  ["q4", "_q4"],
  ["int8", "_int8"],
  ["fp32", ""],
  ["q4f16", "_q4f16"],
  ["fp16", "_fp16"],
  ["uint8", "_uint8"],
  ["bnb4", "_bnb4"],
  ["q8", "_quantized"],
] as const;

/** float16 inputs need a GPU that has them: WebAssembly takes these last. */
const wasmOrder = ["int8", "fp32", "q4", "uint8", "q8", "q4f16", "fp16", "bnb4"];

/** A longer config.json is none; the page says so when the model is chosen. */
const mostConfigBytes = 4e6;

/** A folder in the folder of models, as it would be served. */
interface ModelFolder {
  readonly name: string;
  /** Sizes in bytes by path, for example of `onnx/model.onnx`. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Some of its files are links out of the folder of models. */
  readonly leadsOut: boolean;
}

/** The model folders in `directory` (those with `config.json`, `tokenizer.json` and a graph in `onnx/`), sorted; `urlPrefix` is where they are served. */
export async function listModels(directory: string, urlPrefix = "local-models/"): Promise<ListedModel[]> {
  const folders = await modelFolders(directory);
  const listed = await Promise.all(folders.map((folder) => listedModel(directory, folder, urlPrefix)));
  return listed.filter((model) => model !== null);
}

/** Names of folders in `directory` of which not all is served, because files are links out of it. */
export async function modelsLeadingOut(directory: string): Promise<string[]> {
  const folders = await modelFolders(directory);
  return folders.filter(({ leadsOut }) => leadsOut).map(({ name }) => name);
}

async function modelFolders(directory: string): Promise<ModelFolder[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && isServedName(entry.name))
    .map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => modelFolder(directory, name)));
}

async function modelFolder(directory: string, name: string): Promise<ModelFolder> {
  const graphs = await readdir(join(directory, name, "onnx")).catch((): string[] => []);
  const paths = [...modelDescriptions.map((file) => [file]), ...graphs.map((file) => ["onnx", file])];
  const sizes = new Map<string, number>();
  let leadsOut = false;
  for (const path of paths.filter(isModelFile)) {
    const found = await findInside(directory, [name, ...path]);
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
  const found = dtypeSuffixes.filter(([, suffix]) => sizes.has(`onnx/model${suffix}.onnx`));
  const webgpu = found[0]?.[0];
  const wasm = wasmOrder.find((dtype) => found.some(([each]) => each === dtype));
  if (webgpu === undefined || wasm === undefined) return null;
  const graph = `onnx/model${found.find(([dtype]) => dtype === wasm)?.[1]}.onnx`;
  const weights = [...sizes].filter(([path]) => path === graph || path.startsWith(`${graph}_data`));
  const config =
    configBytes > mostConfigBytes ? "" : await readFile(join(directory, name, "config.json"), "utf8");
  return {
    id: name,
    url: `${urlPrefix}${encodeURIComponent(name)}/`,
    revision: null,
    dtype: { webgpu, wasm },
    bytes: weights.reduce((sum, [, size]) => sum + size, 0),
    files: [...sizes]
      .filter(([path]) => isWanted(path, [webgpu, wasm]))
      .map(([path, bytes]) => ({ path, bytes })),
    contextLength: contextLengthOf(config),
  };
}

/** Descriptions, the graphs of these dtypes, and weights unless they are another graph's. */
function isWanted(path: string, dtypes: readonly string[]): boolean {
  if (!path.startsWith("onnx/")) return true;
  const graphs = dtypeSuffixes.map(([dtype, suffix]) => ({ dtype, file: `onnx/model${suffix}.onnx` }));
  const own = graphs.find(({ file }) => path === file || path.startsWith(`${file}_data`));
  return own ? dtypes.includes(own.dtype) : !path.endsWith(".onnx");
}

function contextLengthOf(config: string): number {
  try {
    const { max_position_embeddings: length } = JSON.parse(config);
    return Number.isInteger(length) && length > 0 ? length : 0;
  } catch {
    // The page says what is wrong with the file when the model is chosen.
    return 0;
  }
}
