/** Recognises the weights in a model's folder by the names and sizes of its files. Pure: no file is read. */
import type { ListedWeights } from "../base/dtype.ts";
import {
  type Dtype,
  dtypeNames,
  embeddingDtypes,
  type GraphName,
  graphPathOf,
  isDtype,
  modelGraphPath,
} from "../base/dtype.ts";

export interface FolderFile {
  /** Path in the model's folder, for example `onnx/model_q4.onnx`. */
  readonly path: string;
  /** Null if the server does not say. */
  readonly bytes: number | null;
}

/** A graph that cannot be chosen. */
export interface RefusedGraph {
  readonly path: string;
  /** A sentence for the user. */
  readonly reason: string;
}

export interface FolderWeights {
  /** In the order of `dtypeNames`. */
  readonly weights: readonly ListedWeights[];
  readonly refused: readonly RefusedGraph[];
}

/** The weights that these files contain, and the graphs among them that cannot be chosen. */
export function weightsAmong(files: readonly FolderFile[]): FolderWeights {
  const names = graphNames(files);
  const of = (name: GraphName, dtype: Dtype) => files.filter(({ path }) => isOf(path, name, dtype));
  const weights = dtypeNames.flatMap((dtype) => {
    const graphs = names.map((name) => of(name, dtypeOf(name, dtype, files)));
    const isThere = names.every((name) => {
      const graph = graphPathOf(name, dtypeOf(name, dtype, files));
      return files.some(({ path }) => path === graph);
    });
    return isThere ? [{ dtype, bytes: sum(graphs.flat()) }] : [];
  });
  const refused = files
    .map(({ path }) => path)
    .filter((path) => /^onnx\/[^/]*\.onnx$/.test(path) && ownerOf(path, names) === null)
    .map((path) => ({ path, reason: refusal(path) }));
  return { weights, refused };
}

/**
 * The files that these weights need, and the files that belong to no graph. Leaves out other graphs and their
 * external data. If the embeddings are a graph of their own, keeps the one that the decoder of each dtype uses.
 */
export function filesForWeights<File extends { readonly path: string }>(
  files: readonly File[],
  dtypes: readonly string[],
): File[] {
  const graphs = graphNames(files).flatMap((name) =>
    dtypes.filter(isDtype).map((dtype) => ({ name, dtype: dtypeOf(name, dtype, files) })),
  );
  return files.filter(({ path }) => {
    if (graphs.some(({ name, dtype }) => isOf(path, name, dtype))) return true;
    // A data file with an unusual name may belong to any graph.
    return !/^onnx\/.*\.onnx($|_data|\.data$)/.test(path);
  });
}

/** The dtype of the graph `name` for weights of `dtype`. Embeddings may exist only in another dtype. */
function dtypeOf(name: GraphName, dtype: Dtype, files: readonly { readonly path: string }[]): Dtype {
  if (name !== "embed_tokens") return dtype;
  const isThere = (other: Dtype) => files.some(({ path }) => path === graphPathOf(name, other));
  return embeddingDtypes(dtype).find(isThere) ?? dtype;
}

/** The names of the graphs that together make one text model. The graph whose dtype names the weights comes last. */
function graphNames(files: readonly { readonly path: string }[]): readonly GraphName[] {
  const has = (name: string) => files.some(({ path }) => path.startsWith(`onnx/${name}`));
  const isWhole = dtypeNames.some((dtype) => files.some(({ path }) => path === modelGraphPath(dtype)));
  const inParts = !isWhole && has("embed_tokens") && !has("encoder_model");
  return inParts ? ["embed_tokens", "decoder_model_merged"] : ["model"];
}

/** Whether a file is this graph, or its external data under the usual name. */
function isOf(path: string, name: GraphName, dtype: Dtype): boolean {
  const graph = graphPathOf(name, dtype);
  return path === graph || path.startsWith(`${graph}_data`) || path === `${graph}.data`;
}

/** The dtype to which a file belongs, as a graph or as its external data; null for another file. */
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
      "This file is one of several graphs of its model, as in models that translate or transcribe. Midtoken runs only text models without an encoder.",
  },
  {
    names: /^(vision|audio|image|embed_tokens|multi_modal|text_encoder|vae)/,
    reason: "This file is the part of a model that handles images or sound; it is not needed for text.",
  },
];

function refusal(path: string): string {
  const name = path.slice("onnx/".length);
  const known = parts.find(({ names }) => names.test(name));
  const expected = dtypeNames.map((dtype) => modelGraphPath(dtype).slice("onnx/".length)).join(", ");
  return (
    known?.reason ?? `The name of this file does not say which weights it contains. Known names: ${expected}.`
  );
}
