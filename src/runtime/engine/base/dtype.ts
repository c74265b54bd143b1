/** The dtypes of weights by their names in @huggingface/transformers, and the files of their graphs. */

/** File suffix per dtype, as @huggingface/transformers has them. */
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

/** One of a model's sets of weights. */
export interface ListedWeights {
  readonly dtype: Dtype;
  /** Graph and external data together; null if it is not known. */
  readonly bytes: number | null;
}

export const dtypeNames = Object.keys(dtypeSuffixes) as readonly Dtype[];

export function isDtype(value: unknown): value is Dtype {
  return typeof value === "string" && Object.hasOwn(dtypeSuffixes, value);
}

/** `model` is whole; models that also read images or sound have their text's embeddings and decoder apart. */
export type GraphName = "model" | "embed_tokens" | "decoder_model_merged";

/** Path of the whole graph for a dtype. @throws Error for a dtype that is not known. */
export function graphPath(dtype: string): string {
  return pathOf("model", dtype);
}

/** Path of a graph for a dtype. @throws Error for a dtype that is not known. */
export function pathOf(name: GraphName, dtype: string): string {
  if (isDtype(dtype)) return `onnx/${name}${dtypeSuffixes[dtype]}.onnx`;
  throw new Error(`"${dtype}" is not a dtype: choose one of ${dtypeNames.join(", ")}.`);
}

/** The dtype in the name of a graph's file; null if the name has none. */
export function dtypeOf(path: string): Dtype | null {
  const named = dtypeNames.filter((dtype) => path.endsWith(`${dtypeSuffixes[dtype]}.onnx`));
  // The suffix of "fp32" is empty, and ends every name.
  return named.find((dtype) => dtype !== "fp32") ?? named[0] ?? null;
}

/** Whether graphs of this dtype compute in float16: then a GPU must have `shader-f16`. */
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
