/** Which weights lie in a model's folder, told from the names and sizes of its files. Pure: nothing is read of them. */
import type { OfferedWeights } from "./dtype.ts";
import { type Dtype, dtypeNames, graphPath } from "./dtype.ts";

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
  const weights = dtypeNames.flatMap((dtype) => {
    const own = files.filter(({ path }) => ownerOf(path) === dtype);
    return own.some(({ path }) => path === graphPath(dtype)) ? [{ dtype, bytes: sum(own) }] : [];
  });
  const refused = files
    .map(({ path }) => path)
    .filter((path) => /^onnx\/[^/]*\.onnx$/.test(path) && ownerOf(path) === null)
    .map((path) => ({ path, reason: refusal(path) }));
  return { weights, refused };
}

/** Files that loading these weights may ask for: not the graphs of others, nor what lies beside those. */
export function filesForWeights<File extends { readonly path: string }>(
  files: readonly File[],
  dtypes: readonly string[],
): File[] {
  return files.filter(({ path }) => {
    if (!path.startsWith("onnx/")) return true;
    const owner = ownerOf(path);
    return owner === null ? !path.endsWith(".onnx") : dtypes.includes(owner);
  });
}

/** The dtype whose graph a file is, or whose external data by its usual name; null for another file. */
function ownerOf(path: string): Dtype | null {
  const owner = dtypeNames.find((dtype) => {
    const graph = graphPath(dtype);
    return path === graph || path.startsWith(`${graph}_data`) || path === `${graph}.data`;
  });
  return owner ?? null;
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
      "It is a part of a model in several graphs, as models that translate or transcribe have them. Here models of one graph run, onnx/model.onnx.",
  },
  {
    names: /^(vision|audio|image|embed_tokens|multi_modal|text_encoder|vae)/,
    reason:
      "It is a part of a model for images or sound. Here models of text in one graph run, onnx/model.onnx.",
  },
];

function refusal(path: string): string {
  const name = path.slice("onnx/".length);
  const known = parts.find(({ names }) => names.test(name));
  const expected = dtypeNames.map((dtype) => graphPath(dtype).slice("onnx/".length)).join(", ");
  return known?.reason ?? `Its name does not say which weights it holds. Names that do: ${expected}.`;
}
