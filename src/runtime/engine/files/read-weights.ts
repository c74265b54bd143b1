/** Reads the weights of a model: one graph, or two. */
import { embeddingDtypes, graphPathOf, modelGraphPath } from "../base/dtype.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { type ModelGraph, type ReadingOptions, readGraph, readGraphFile } from "./files.ts";
import type { ModelSource } from "./model-source.ts";

export interface ModelWeights extends ModelGraph {
  /** The graph of the embeddings, if it is separate; `graph` is then a decoder that reads embeddings. */
  readonly embedTokens?: ModelGraph | undefined;
}

/**
 * Reads the graph of a dtype. Models that also read images or sound have two graphs instead: the decoder of that dtype, and
 * embeddings, which may have another dtype.
 * @param check gets each graph's summary before its external data is downloaded, and may throw
 * @throws ModelFileError if a file is missing or damaged
 */
export async function readWeights(
  source: ModelSource,
  dtype: string,
  reading: ReadingOptions = {},
  check?: (summary: GraphSummary, file: string) => void,
): Promise<ModelWeights> {
  const whole = await orMissing(readGraph(source, dtype, reading, check), modelGraphPath(dtype));
  if (!(whole instanceof ModelFileError)) return whole;
  const path = graphPathOf("decoder_model_merged", dtype);
  const decoder = await orMissing(readGraphFile(source, path, reading, check), path);
  if (decoder instanceof ModelFileError) throw whole;
  for (const other of embeddingDtypes(dtype)) {
    const file = graphPathOf("embed_tokens", other);
    const embedTokens = await orMissing(readGraphFile(source, file, reading, check), file);
    if (embedTokens instanceof ModelFileError) continue;
    return { ...decoder, embedTokens, bytes: decoder.bytes + embedTokens.bytes };
  }
  throw new ModelFileError(
    `${path} is there, but embed_tokens.onnx is missing: this is the decoder of a model that translates or transcribes, which does not continue a text. Choose a model for text generation.`,
    path,
  );
}

/** Returns the error if `file` itself is missing. @throws every other error */
async function orMissing<Result>(reading: Promise<Result>, file: string): Promise<Result | ModelFileError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ModelFileError && error.status === 404 && error.file === file) return error;
    throw error;
  }
}
