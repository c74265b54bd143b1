/** Reads and checks the files of a model in Hugging Face's layout. */
import { inParallel } from "../../../core/base/in-parallel.ts";
import { JsonBoundsError, parseBoundedJson } from "../../../core/base/json-bounds.ts";
import { isRecord } from "../../../core/base/record.ts";
import type { TokenId } from "../../../core/sdk/request.ts";
import type { JsonObject } from "../../../core/tokenizer/create-tokenizer.ts";
import { dtypeNames, modelGraphPath } from "../base/dtype.ts";
import { ModelFileError } from "../base/model-file-error.ts";
import { parseModel } from "../onnx/codec.ts";
import type { GraphSummary } from "../onnx/graph-summary.ts";
import { inspectGraph } from "../onnx/inspect.ts";
import { separateWeights } from "../onnx/split-weights.ts";
import { OnnxFormatError } from "../onnx/wire.ts";
import { openCachedFile } from "../storage/sync-files.ts";
import { type CheckGraph, createGraphHeadCheck, damagedGraphError } from "./graph-head-check.ts";
import type { ModelSource, ReadOptions } from "./model-source.ts";

/**
 * The most bytes of a file; a larger one is refused. Gemma's tokenizer.json has 33 MB. A graph is one protobuf message, so it
 * ends at 2 GiB.
 */
const mostBytes = { json: 4e6, tokenizer: 128e6, graph: 2 ** 31, weights: 16e9 };
/**
 * Counted before the text is parsed: 128 MB of small objects would take gigabytes, and V8 ends the whole process of Node if a
 * text that it parses needs more than the heap. `tokenizerLimits` allows about ten million values.
 */
const mostJson = { characters: 128e6, depth: 500, values: 12e6 };

export type ReadingOptions = Pick<ReadOptions, "signal" | "onProgress">;

/** Everything in the folder except the weights. */
export interface ModelDescription {
  readonly config: JsonObject;
  /** `{}` if the file does not exist. */
  readonly generationConfig: JsonObject;
  readonly tokenizerJson: JsonObject;
  /** `chat_template` is added from chat_template.jinja if that file exists. */
  readonly tokenizerConfig: JsonObject;
  /** Tokens that end a sequence, from all files that name such tokens. Some ids may be beyond the vocabulary. */
  readonly endOfSequence: readonly TokenId[];
}

/** @throws ModelFileError if a file is missing or invalid. */
export async function readDescription(
  source: ModelSource,
  reading: ReadingOptions = {},
): Promise<ModelDescription> {
  const readingConfig = readConfig(source, reading);
  const [config, generationConfig, tokenizerJson, tokenizerConfig] = await Promise.all([
    readingConfig,
    nullIfMissing(readJson(source, "generation_config.json", mostBytes.json, reading)),
    readJson(source, "tokenizer.json", mostBytes.tokenizer, reading),
    nullIfMissing(readJson(source, "tokenizer_config.json", mostBytes.json, reading)),
  ]).catch(async (error: unknown) => {
    // If config.json is missing too, throw its error: a folder without config.json is not a model. Waiting makes this
    // independent of the order.
    await readingConfig;
    throw error;
  });
  checkSizes(config);
  return {
    config,
    generationConfig: generationConfig ?? {},
    tokenizerJson,
    tokenizerConfig: await withTemplate(source, tokenizerConfig ?? {}, reading),
    endOfSequence: endOfSequence(config, generationConfig ?? {}, tokenizerConfig ?? {}, tokenizerJson),
  };
}

/** Reads config.json only. @throws ModelFileError if it is missing or invalid */
export function readConfig(source: ModelSource, reading: ReadingOptions = {}): Promise<JsonObject> {
  return readJson(source, "config.json", mostBytes.json, reading);
}

async function nullIfMissing<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ModelFileError && error.status === 404) return null;
    throw error;
  }
}

async function readText(
  source: ModelSource,
  file: string,
  maxBytes: number,
  reading: ReadingOptions,
): Promise<string> {
  const bytes = await source.read(file, { ...reading, kind: "text", maxBytes });
  return new TextDecoder().decode(bytes);
}

async function readJson(
  source: ModelSource,
  file: string,
  maxBytes: number,
  reading: ReadingOptions,
): Promise<JsonObject> {
  const text = await readText(source, file, maxBytes, reading);
  let value: unknown;
  try {
    value = parseBoundedJson(text, mostJson, `${file} from ${source.address}`);
  } catch (cause) {
    if (cause instanceof JsonBoundsError)
      throw new ModelFileError(`${cause.message} Choose another export of the model.`, file, null, { cause });
    const what = text.trimStart().startsWith("<")
      ? "a web page"
      : `not valid JSON (${(cause as Error).message})`;
    throw new ModelFileError(`${file} from ${source.address} is ${what}. Check the address.`, file, null, {
      cause,
    });
  }
  if (isRecord(value)) return value;
  throw new ModelFileError(
    `${file} from ${source.address} does not contain a JSON object. Check the address.`,
    file,
  );
}

async function withTemplate(
  source: ModelSource,
  config: JsonObject,
  reading: ReadingOptions,
): Promise<JsonObject> {
  if (config.chat_template !== undefined && config.chat_template !== null) return config;
  const template = await nullIfMissing(readText(source, "chat_template.jinja", mostBytes.json, reading));
  return template === null ? config : { ...config, chat_template: template };
}

const sizeNames = [
  "vocab_size",
  "hidden_size",
  "head_dim",
  "num_hidden_layers",
  "num_attention_heads",
  "num_key_value_heads",
  "max_position_embeddings",
];

/**
 * Checks the sizes in config.json, because buffers get these lengths: each must be a whole number that a buffer's length can
 * be.
 */
function checkSizes(config: JsonObject, path = "config.json"): void {
  for (const name of sizeNames) {
    const value = config[name];
    if (value === undefined || value === null || Array.isArray(value)) continue;
    if (typeof value === "number" && Number.isInteger(value) && value > 0 && value < 2 ** 31) continue;
    throw new ModelFileError(
      `${path}: "${name}" is ${JSON.stringify(value)?.slice(0, 100)}, but must be a positive whole number.`,
      "config.json",
    );
  }
  const nested = config.text_config;
  if (typeof nested === "object" && nested !== null) checkSizes(nested as JsonObject, `${path} text_config`);
}

function endOfSequence(
  config: JsonObject,
  generationConfig: JsonObject,
  tokenizerConfig: JsonObject,
  tokenizerJson: JsonObject,
): TokenId[] {
  const endTokenValues = [generationConfig.eos_token_id, config.eos_token_id].flat();
  for (const value of endTokenValues) {
    if (value === undefined || value === null || (Number.isInteger(value) && (value as number) >= 0))
      continue;
    throw new ModelFileError(
      `"eos_token_id" is ${JSON.stringify(value)?.slice(0, 100)}, but must be a token id.`,
      "config.json",
    );
  }
  const tokens = endTokenValues.filter((value): value is TokenId => typeof value === "number");
  const name = readSpecialToken(tokenizerConfig.eos_token);
  const addedTokens = Array.isArray(tokenizerJson.added_tokens)
    ? (tokenizerJson.added_tokens as unknown[])
    : [];
  const namedToken = addedTokens.find(
    (token) => name !== null && (token as JsonObject | null)?.content === name,
  );
  const id = (namedToken as JsonObject | undefined)?.id;
  return [...new Set(Number.isInteger(id) ? [...tokens, id as TokenId] : tokens)];
}

/** A special token as tokenizer_config.json writes it: its text, or an object with the text. */
export function readSpecialToken(value: unknown): string | null {
  if (typeof value === "string") return value;
  const content = typeof value === "object" && value !== null ? (value as JsonObject).content : null;
  return typeof content === "string" ? content : null;
}

/**
 * A graph and its weights. The weights inside a large graph are separated from it: `externalData` then also lists the graph's own
 * file.
 */
export interface ModelGraph {
  /** Path of the graph in the model's folder. */
  readonly file: string;
  readonly graph: Uint8Array<ArrayBuffer>;
  /** By the names that the graph uses for the files. */
  readonly externalData: ReadonlyMap<string, Blob>;
  /** Size of graph and external data together. */
  readonly bytes: number;
}

/** How many weight files are downloaded at the same time. */
const filesAtOnce = 3;

/**
 * @param check sees the graph's summary before its external data is downloaded, and may throw. During the download of
 * the graph it first sees the beginning: nodes without inputs and outputs. If it refuses a part, it must refuse the
 * whole.
 * @throws ModelFileError if a file is missing or damaged.
 */
export async function readGraph(
  source: ModelSource,
  dtype: string,
  reading: ReadingOptions = {},
  check?: CheckGraph,
): Promise<ModelGraph> {
  return readGraphFile(source, modelGraphPath(dtype), reading, check).catch((error: unknown) => {
    const isMissing = error instanceof ModelFileError && error.status === 404;
    throw isMissing && error.file === modelGraphPath(dtype) ? noSuchDtypeError(error, dtype, source) : error;
  });
}

/** Like `readGraph`, by the graph's path. */
export async function readGraphFile(
  source: ModelSource,
  file: string,
  reading: ReadingOptions = {},
  check?: CheckGraph,
): Promise<ModelGraph> {
  const options: ReadOptions = { ...reading, kind: "binary", maxBytes: mostBytes.weights };
  const checkHead = check && createGraphHeadCheck(file, check);
  const whole = await source.open(file, { ...options, maxBytes: mostBytes.graph, checkHead });
  const externalData = new Map<string, Blob>();
  const graph = await readGraphWithoutWeights(whole, file, externalData);
  const summary = readGraphSummary(graph, file);
  check?.(summary, file);
  const missingFiles = [...summary.externalFiles].filter(([location]) => !externalData.has(location));
  // Announce all files before the first one arrives, so that the percentage of the whole download never falls.
  for (const [location, totalBytes] of missingFiles.length > 1 ? missingFiles : []) {
    const progressAtStart = { loadedBytes: 0, totalBytes, fromCache: false };
    reading.onProgress?.({ stage: "download", file: `onnx/${location}`, ...progressAtStart });
  }
  const { signal } = reading;
  const blobs = await inParallel(missingFiles, { atOnce: filesAtOnce, signal }, ([location, needed], joint) =>
    openExternalFile(source, `onnx/${location}`, { graph: file, needed }, { ...options, signal: joint }),
  );
  blobs.forEach((data, index) => {
    externalData.set(missingFiles[index]?.[0] ?? "", data);
  });
  const externalBlobs = [...externalData.values()].filter((data) => data !== whole);
  const bytes = externalBlobs.reduce((sum, data) => sum + data.size, whole.size);
  return { file, graph, externalData, bytes };
}

async function openExternalFile(
  source: ModelSource,
  path: string,
  { graph, needed }: { readonly graph: string; readonly needed: number },
  options: ReadOptions,
): Promise<Blob> {
  const data = await source.open(path, options);
  if (data.size >= needed) return data;
  throw new ModelFileError(
    `${path} has ${data.size} bytes, but ${graph} needs ${needed} bytes: the files do not belong together, or the download is incomplete. Delete the saved files of this model and load it again.`,
    path,
  );
}

/** A graph of at most this many bytes is read whole, including its weights. */
const wholeGraphBytes = 8 * 2 ** 20;

/**
 * The graph without its large weights. They are added to `externalData`, from which the device reads them, so this code
 * never holds them.
 */
async function readGraphWithoutWeights(
  whole: Blob,
  file: string,
  externalData: Map<string, Blob>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (whole.size <= wholeGraphBytes) return new Uint8Array(await whole.arrayBuffer());
  const location = file.slice(file.lastIndexOf("/") + 1);
  externalData.set(location, whole);
  const opened = await openCachedFile(whole);
  try {
    return await refuseDamagedGraph(file, () => separateWeights(whole, location, opened));
  } finally {
    opened?.close();
  }
}

function noSuchDtypeError(error: ModelFileError, dtype: string, source: ModelSource): ModelFileError {
  const others = dtypeNames.filter((other) => other !== dtype);
  return new ModelFileError(
    `${error.file} is not in ${source.address}: the model has no ${dtype} file. Try another dtype (${others.join(", ")}), or check the id and the revision.`,
    error.file,
    404,
    { cause: error },
  );
}

/** The summary of a graph. @throws ModelFileError for a damaged graph. */
export function readGraphSummary(graph: Uint8Array, file: string): GraphSummary {
  try {
    return inspectGraph(parseModel(graph));
  } catch (cause) {
    throw damagedGraphError(file, cause);
  }
}

async function refuseDamagedGraph<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw cause instanceof OnnxFormatError ? damagedGraphError(file, cause) : cause;
  }
}
