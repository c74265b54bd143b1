/** The inputs and outputs of a decoder graph, read from its metadata and its config.json. Pure. */
import { messageOf } from "../../../core/base/message-of.ts";
import { bytesOfType, type FloatType } from "../base/float-type.ts";
import type { CacheKind, GraphSummary } from "./graph-summary.ts";
import type { OpenedLayers } from "./opened-layers.ts";

/** An input or output of a graph. A dimension without a fixed size is a name. */
export interface TensorInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/** One key or value cache: `(1, heads, rows, headSize)`. */
export interface CacheTensorInfo {
  /** Name of the input for the past; `output` is the name of the output for the present. */
  readonly input: string;
  readonly output: string;
  readonly heads: number;
  readonly headSize: number;
  readonly type: FloatType;
}

/** The state of a layer without attention, for example of a convolution: a tensor of fixed size. */
export interface StateTensorInfo {
  /** Name of the input for the past; `output` is the name of the output for the present. */
  readonly input: string;
  readonly output: string;
  readonly dims: readonly number[];
  readonly type: FloatType;
}

export type IntegerType = "int64" | "int32";

export interface DecoderGraph {
  readonly vocabularySize: number;
  readonly logitsType: FloatType;
  readonly attentionMask: boolean;
  readonly positionIds: boolean;
  /** Shape of the input `num_logits_to_keep`: `[]` or `[1]`; null if the graph has none. */
  readonly rowsToKeepShape: readonly number[] | null;
  /** Types of the integer inputs, by name. */
  readonly integerTypes: Readonly<Record<string, IntegerType>>;
  /** How the graph stores `caches`. */
  readonly cacheKind: CacheKind;
  readonly caches: readonly CacheTensorInfo[];
  readonly states: readonly StateTensorInfo[];
  /** The longest context, in tokens, that the model was made for. */
  readonly contextLength: number;
}

/**
 * The file is valid, but Midtoken cannot run this kind of graph, or not on this device. The message says which, and what to
 * do.
 */
export class UnsupportedGraphError extends Error {
  override readonly name = "UnsupportedGraphError";
}

/** The graph may still run on another device. */
export class UnsupportedOnDeviceError extends UnsupportedGraphError {}

const cacheName = /^past(?:_key_values)?\.(\d+)\.(key|value)$/;
/** Names like `past_conv.0` (transformers.js' own exports), `past.0.conv` (the builder), `past_ssm.0` and `past_recurrent.0`. */
const stateName = /^past[._]/;
const crossName = /encoder|decoder/;

/** Bytes of one token in a cache, all heads together. */
export function bytesPerRow(cache: CacheTensorInfo): number {
  return cache.heads * cache.headSize * bytesOfType(cache.type);
}

/** A graph's bytes, with its weights in the form that the device reads. */
export interface GraphBytes<File> {
  readonly graph: Uint8Array;
  /** The contents of its external data files, by the names that the graph uses for them. */
  readonly externalData: ReadonlyMap<string, File>;
}

/** Metadata of a graph's file before a session exists. */
export interface GraphFileMetadata {
  /** Path of the graph's file, for messages. */
  readonly file: string;
  readonly summary: Pick<GraphSummary, "cache" | "rotaryNodes">;
  /** config.json; it has sizes that the metadata do not fix. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The graph's inputs without those that Midtoken added. */
export function withoutSteeringInputs(
  inputs: readonly TensorInfo[],
  opened: Pick<OpenedLayers, "layers"> | undefined,
): readonly TensorInfo[] {
  const ours = new Set(opened?.layers.map(({ steering }) => steering));
  return inputs.filter(({ name }) => !ours.has(name));
}

/**
 * Describes a decoder by the inputs and outputs of its session.
 * @throws UnsupportedGraphError for graphs that are not decoders with a cache, or have inputs that Midtoken cannot fill, caches or
 * states of unknown size, or logits of an unsupported type
 */
export function describeGraph(
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  { file, summary, config }: GraphFileMetadata,
): DecoderGraph {
  const sizes = parseConfigSizes(config);
  const logits = outputs.find(({ name }) => name === "logits");
  if (!inputs.some(({ name }) => name === "input_ids") || !logits) {
    const names = [...inputs, ...outputs].map(({ name }) => name).join(", ");
    throw new UnsupportedGraphError(
      `${file} is not a decoder: it needs an input "input_ids" and an output "logits", but has ${names}. Choose the model's text decoder file.`,
    );
  }
  const past = inputs.filter(({ name }) => stateName.test(name));
  refuseCrossAttention(past, file);
  if (past.length === 0) {
    throw new UnsupportedGraphError(
      `${file} has no key/value cache ("past_key_values" inputs), so the model would have to read the whole text again for every token. Export the model with a cache.`,
    );
  }
  const others = inputs.filter((input) => !past.includes(input));
  refuseUnknown(others, file);
  const rowsToKeep = inputs.find(({ name }) => name === "num_logits_to_keep");
  return {
    vocabularySize: vocabularySize(logits, sizes, file),
    logitsType: floatType(logits, file),
    attentionMask: inputs.some(({ name }) => name === "attention_mask"),
    positionIds: inputs.some(({ name }) => name === "position_ids"),
    rowsToKeepShape: rowsToKeep ? rowsToKeep.shape.map(() => 1) : null,
    integerTypes: Object.fromEntries(others.map(({ name, type }) => [name, type as IntegerType])),
    cacheKind: summary.cache,
    caches: past
      .filter(({ name }) => cacheName.test(name))
      .map((input) => cacheEntry(input, outputs, sizes, file)),
    states: past.filter(({ name }) => !cacheName.test(name)).map((input) => stateEntry(input, outputs, file)),
    contextLength: sizes.contextLength,
  };
}

function refuseCrossAttention(past: readonly TensorInfo[], file: string): void {
  const cross = past.find(({ name }) => crossName.test(name));
  if (cross) {
    throw new UnsupportedGraphError(
      `${file} is the decoder of a model with an encoder (it has an input "${cross.name}"). Midtoken runs only models without an encoder (decoders): choose such a model.`,
    );
  }
}

/** The integer inputs that are supported, with the ranks that each may have. */
const knownRanks: Readonly<Record<string, readonly number[]>> = {
  input_ids: [2],
  attention_mask: [2],
  position_ids: [2],
  num_logits_to_keep: [0, 1],
};

function refuseUnknown(inputs: readonly TensorInfo[], file: string): void {
  for (const { name, type, shape } of inputs) {
    const ranks = Object.hasOwn(knownRanks, name) ? knownRanks[name] : undefined;
    if (!ranks?.includes(shape.length)) {
      const size = ranks ? `, ${shape.join(" × ") || "one number"}` : "";
      throw new UnsupportedGraphError(
        `${file} has an input "${name}" (${type}${size}) that Midtoken cannot fill. Choose another export of the model.`,
      );
    }
    if (type !== "int64" && type !== "int32") {
      throw new UnsupportedGraphError(
        `${file} takes "${name}" as ${type}, but Midtoken supports only int64 and int32. Choose another export of the model.`,
      );
    }
  }
}

/** Sizes from config.json; null if missing. */
export interface ConfigSizes {
  readonly heads: number | null;
  readonly headSize: number | null;
  readonly vocabulary: number | null;
  readonly contextLength: number;
}

/** Reads the sizes from config.json. Fields of `text_config` come before those outside of it. */
export function parseConfigSizes(whole: Readonly<Record<string, unknown>>): ConfigSizes {
  const nested = whole.text_config;
  const config = typeof nested === "object" && nested !== null ? { ...whole, ...nested } : whole;
  const size = (...names: string[]): number | null => {
    for (const name of names) {
      const value = (config as Record<string, unknown>)[name];
      if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
    }
    return null;
  };
  const attentionHeads = size("num_attention_heads", "n_head");
  const hidden = size("hidden_size", "n_embd");
  return {
    heads: size("num_key_value_heads") ?? attentionHeads,
    headSize: size("head_dim") ?? (hidden && attentionHeads ? Math.floor(hidden / attentionHeads) : null),
    vocabulary: size("vocab_size"),
    contextLength: size("max_position_embeddings", "n_positions", "max_seq_len") ?? 2048,
  };
}

function cacheEntry(
  input: TensorInfo,
  outputs: readonly TensorInfo[],
  sizes: ConfigSizes,
  file: string,
): CacheTensorInfo {
  const output = presentOf(input, outputs, file);
  const [, heads, , headSize] = input.shape;
  return {
    input: input.name,
    output,
    heads: fixedSize(heads, sizes.heads, input, file, "num_key_value_heads"),
    headSize: fixedSize(headSize, sizes.headSize, input, file, "head_dim"),
    type: floatType(input, file),
  };
}

function presentOf({ name: input }: TensorInfo, outputs: readonly TensorInfo[], file: string): string {
  const output = input.replace(/^past(_key_values)?/, "present");
  if (outputs.some(({ name }) => name === output)) return output;
  throw new UnsupportedGraphError(
    `${file} takes "${input}" but does not return "${output}". Choose another export of the model.`,
  );
}

/**
 * The first dimension of a state is the batch. The other dimensions must be fixed numbers, because they say how much is
 * stored.
 */
function stateEntry(input: TensorInfo, outputs: readonly TensorInfo[], file: string): StateTensorInfo {
  const output = presentOf(input, outputs, file);
  const dims = input.shape.map((size, axis) => (axis === 0 ? 1 : size));
  if (dims.every((size): size is number => typeof size === "number" && size > 0))
    return { input: input.name, output, dims, type: floatType(input, file) };
  throw new UnsupportedGraphError(
    `${file} does not fix the shape of the state "${input.name}" (${input.shape.join(" × ")}), so the size of the state is unknown. Choose another export of the model.`,
  );
}

/** The size from the graph's metadata; if the metadata has a symbol, as the newest builder writes for the head size, the size from config.json. */
function fixedSize(
  size: number | string | undefined,
  fallback: number | null,
  input: TensorInfo,
  file: string,
  key: string,
): number {
  if (typeof size === "number" && size > 0) return size;
  if (fallback !== null) return fallback;
  throw new UnsupportedGraphError(
    `${file} does not fix the shape of "${input.name}" (${input.shape.join(" × ")}), and config.json has no "${key}". Add this value to config.json.`,
  );
}

function floatType({ name, type }: TensorInfo, file: string): FloatType {
  if (type === "float32" || type === "float16") return type;
  throw new UnsupportedGraphError(
    `${file} has "${name}" as ${type}, but Midtoken reads only float32 and float16. Choose another export of the model.`,
  );
}

function vocabularySize(logits: TensorInfo, sizes: ConfigSizes, file: string): number {
  const last = logits.shape.at(-1);
  if (typeof last === "number" && last > 0) return last;
  if (sizes.vocabulary !== null) return sizes.vocabulary;
  throw new UnsupportedGraphError(
    `${file} does not say how many logits it returns, and config.json has no "vocab_size". Add "vocab_size" to config.json.`,
  );
}

/**
 * Checks the result of the first run (see `firstRunSizes`): a cache of fixed size must have the same number of rows as before.
 * @param presentRows rows of the first present output
 * @throws UnsupportedGraphError if the number differs
 */
export function checkFixedCacheRows(presentRows: number, file: string): void {
  if (presentRows === firstRunSizes.rows) return;
  throw new UnsupportedGraphError(
    `${file} was made for a cache of fixed size, but returned ${presentRows} rows for a cache of ${firstRunSizes.rows} rows. Choose another file of the model.`,
  );
}

/** The first run: number of cache rows, length of the attention mask, and the id of its only token. */
export const firstRunSizes = { rows: 8, mask: 4, token: 0 } as const;

/**
 * The error for a graph whose first run failed. It would always fail on that device, so the error is reported at load,
 * before the user waits for an answer.
 */
export function refusedFirstRunError(error: unknown, file: string, device: string): Error {
  if (error instanceof UnsupportedGraphError) return error;
  const message = messageOf(error);
  const advice = /q_norm_weight|k_norm_weight/.test(message)
    ? "The file was made for WebGPU: the norms of queries and keys are inside its attention operator, which the runtime supports only on WebGPU. Choose WebGPU or another file of the model."
    : "Choose another file of the model.";
  return new UnsupportedOnDeviceError(`${file} does not run on ${device}. ${advice} ${message}`, {
    cause: error,
  });
}
