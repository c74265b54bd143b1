/** The dtypes of weights, with the names that @huggingface/transformers uses, and the files of their graphs. */

/** The suffix of the graph's file name for each dtype, as in @huggingface/transformers. */
export const dtypeSuffixes = {
  fp32: "",
  fp16: "_fp16",
  q8: "_quantized",
  int8: "_int8",
  uint8: "_uint8",
  q4: "_q4",
  q4f16: "_q4f16",
  bnb4: "_bnb4",
} as const;

export type Dtype = keyof typeof dtypeSuffixes;

/** One set of weights that a model's folder contains. */
export interface ListedWeights {
  readonly dtype: Dtype;
  /** Size of graph and external data together; null if unknown. */
  readonly bytes: number | null;
}

export const dtypeNames = Object.keys(dtypeSuffixes) as readonly Dtype[];

export function isDtype(value: unknown): value is Dtype {
  return typeof value === "string" && Object.hasOwn(dtypeSuffixes, value);
}

/** `model` is the whole model. Models that also read images or sound have two graphs for text: embeddings and decoder. */
export type GraphName = "model" | "embed_tokens" | "decoder_model_merged";

/** Path of the `model` graph for a dtype. @throws Error if the dtype is unknown */
export function modelGraphPath(dtype: string): string {
  return graphPathOf("model", dtype);
}

/** Path of a graph for a dtype. @throws Error if the dtype is unknown */
export function graphPathOf(name: GraphName, dtype: string): string {
  if (isDtype(dtype)) return `onnx/${name}${dtypeSuffixes[dtype]}.onnx`;
  throw new Error(`"${dtype}" is not a dtype: choose one of ${dtypeNames.join(", ")}.`);
}

/** The dtype in the name of a graph's file; null if the name has none. */
export function dtypeOf(path: string): Dtype | null {
  const named = dtypeNames.filter((dtype) => path.endsWith(`${dtypeSuffixes[dtype]}.onnx`));
  // The suffix of "fp32" is empty, so every name ends with it.
  return named.find((dtype) => dtype !== "fp32") ?? named[0] ?? null;
}

/** Whether graphs of this dtype compute in float16. A GPU then needs `shader-f16`. */
export function isFloat16(dtype: string): boolean {
  return dtype === "fp16" || dtype === "q4f16";
}

/** Dtypes of embeddings that a decoder accepts, best first: their output has the decoder's float type. */
export function embeddingDtypes(dtype: string): readonly Dtype[] {
  const compatible: readonly Dtype[] = /16$/.test(dtype)
    ? ["fp16", "q4f16"]
    : ["q8", "int8", "uint8", "q4", "fp32"];
  return [...new Set(isDtype(dtype) ? [dtype, ...compatible] : compatible)];
}
