/** Which weights lie in a model's folder, told from the names and sizes of its files. Pure: nothing is read of them. */
import type { OfferedWeights } from "./dtype.ts";
import { type Dtype, dtypeNames, embeddingDtypes, type GraphName, graphPath, pathOf } from "./dtype.ts";

export interface FolderFile {
  /** In the model's folder, for example `onnx/model_q4.onnx`. */
  readonly path: string;
  /** Null where the server does not say. */
  readonly bytes: number | null;
}

/** A graph that is no choice. */
export interface RefusedGraph {
  readonly path: string;
  /** A sentence for the user. */
  readonly reason: string;
}

export interface FolderWeights {
  /** In the order of the dtypes' names. */
  readonly weights: readonly OfferedWeights[];
  readonly refused: readonly RefusedGraph[];
}

/** The weights among the files. */
export function weightsAmong(files: readonly FolderFile[]): FolderWeights {
  const names = graphNames(files);
  const of = (name: GraphName, dtype: Dtype) => files.filter(({ path }) => isOf(path, name, dtype));
  const weights = dtypeNames.flatMap((dtype) => {
    const graphs = names.map((name) =>
      name === "embed_tokens"
        ? (embeddingDtypes(dtype)
            .map((other) => of(name, other))
            .find((found) => found.length > 0) ?? [])
        : of(name, dtype),
    );
    const isThere = files.some(({ path }) => path === pathOf(names.at(-1) ?? "model", dtype));
    return isThere ? [{ dtype, bytes: sum(graphs.flat()) }] : [];
  });
  const refused = files
    .map(({ path }) => path)
    .filter((path) => /^onnx\/[^/]*\.onnx$/.test(path) && ownerOf(path, names) === null)
    .map((path) => ({ path, reason: refusal(path) }));
  return { weights, refused };
}

/** Files that loading these weights may ask for: not the graphs of others, nor what lies beside those. */
export function filesForWeights<File extends { readonly path: string }>(
  files: readonly File[],
  dtypes: readonly string[],
): File[] {
  const names = graphNames(files);
  return files.filter(({ path }) => {
    if (!path.startsWith("onnx/")) return true;
    const owner = ownerOf(path, names);
    // Embeddings of another dtype may serve too.
    const isNeeded = owner !== null && (dtypes.includes(owner) || isOf(path, "embed_tokens", owner));
    return owner === null ? !path.endsWith(".onnx") : isNeeded;
  });
}

/** The graphs that make one model of text, the one that names the weights last. */
function graphNames(files: readonly { readonly path: string }[]): readonly GraphName[] {
  const has = (name: string) => files.some(({ path }) => path.startsWith(`onnx/${name}`));
  const isWhole = dtypeNames.some((dtype) => files.some(({ path }) => path === graphPath(dtype)));
  const inParts = !isWhole && has("embed_tokens") && !has("encoder_model");
  return inParts ? ["embed_tokens", "decoder_model_merged"] : ["model"];
}

/** Whether a file is this graph, or its external data by its usual name. */
function isOf(path: string, name: GraphName, dtype: Dtype): boolean {
  const graph = pathOf(name, dtype);
  return path === graph || path.startsWith(`${graph}_data`) || path === `${graph}.data`;
}

/** The dtype whose graph a file is, or whose external data; null for another file. */
function ownerOf(path: string, names: readonly GraphName[]): Dtype | null {
  return dtypeNames.find((dtype) => names.some((name) => isOf(path, name, dtype))) ?? null;
}

function sum(files: readonly FolderFile[]): number | null {
  return files.reduce<number | null>(
    (total, { bytes }) => (total === null || bytes === null ? null : total + bytes),
    0,
  );
}

const parts: readonly { readonly names: RegExp; readonly reason: string }[] = [
  {
    names: /^(encoder_model|decoder_model|decoder_with_past_model)/,
    reason:
      "It is a part of a model in several graphs, as models that translate or transcribe have them. Here models run that write text with a decoder alone.",
  },
  {
    names: /^(vision|audio|image|embed_tokens|multi_modal|text_encoder|vae)/,
    reason: "It is a part of a model for images or sound, which is not needed for text.",
  },
];

function refusal(path: string): string {
  const name = path.slice("onnx/".length);
  const known = parts.find(({ names }) => names.test(name));
  const expected = dtypeNames.map((dtype) => graphPath(dtype).slice("onnx/".length)).join(", ");
  return known?.reason ?? `Its name does not say which weights it holds. Names that do: ${expected}.`;
}
