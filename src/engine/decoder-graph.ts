/** What a decoder graph takes and gives, read from its metadata and its config.json. Pure. */
import { messageOf } from "../base/message-of.ts";

/** An input or output of a graph; a size that is not fixed is its name. */
export interface TensorInfo {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

export type FloatType = "float32" | "float16";

/** One key or value cache: `(1, heads, rows, headSize)`. */
export interface CacheEntry {
  /** Name of the past input and of the present output. */
  readonly input: string;
  readonly output: string;
  readonly heads: number;
  readonly headSize: number;
  readonly type: FloatType;
}

export interface DecoderGraph {
  readonly vocabularySize: number;
  readonly logitsType: FloatType;
  readonly attentionMask: boolean;
  readonly positionIds: boolean;
  /** Shape of the input `num_logits_to_keep`: `[]` or `[1]`; null where the graph has none. */
  readonly rowsToKeepShape: readonly number[] | null;
  readonly caches: readonly CacheEntry[];
  /** The most tokens that the model was made for. */
  readonly contextLength: number;
}

/** The file is sound, but of a kind or for a device that Midtoken does not run. The message says which and what to do. */
export class UnsupportedGraphError extends Error {
  override readonly name = "UnsupportedGraphError";
}

/** The graph may still run on another device. */
export class UnsupportedOnDeviceError extends UnsupportedGraphError {}

const cacheName = /^past(?:_key_values)?\.(\d+)\.(key|value)$/;
const stateName = /conv|ssm|recurrent|state/;
const bytesOf: Record<FloatType, number> = { float32: 4, float16: 2 };

export function bytesPerRow(cache: CacheEntry): number {
  return cache.heads * cache.headSize * bytesOf[cache.type];
}

export function bytesOfType(type: FloatType): number {
  return bytesOf[type];
}

/**
 * @param config config.json; sizes that the metadata leave open come from it.
 * @param file for messages.
 * @throws UnsupportedGraphError for graphs that are not decoders with a key/value cache.
 */
export function describeGraph(
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  config: Readonly<Record<string, unknown>>,
  file: string,
): DecoderGraph {
  const sizes = configSizes(config);
  const logits = outputs.find(({ name }) => name === "logits");
  if (!inputs.some(({ name }) => name === "input_ids") || !logits) {
    const names = [...inputs, ...outputs].map(({ name }) => name).join(", ");
    throw new UnsupportedGraphError(
      `${file} is not a decoder: it needs an input "input_ids" and an output "logits", and has ${names}. Choose the model's text decoder file.`,
    );
  }
  const caches = inputs
    .filter(({ name }) => cacheName.test(name))
    .map((input) => cacheEntry(input, outputs, sizes, file));
  refuseOthers(inputs, file);
  if (caches.length === 0) {
    throw new UnsupportedGraphError(
      `${file} has no key/value cache ("past_key_values" inputs), so every token would cost the whole text again. Export it with a cache.`,
    );
  }
  const rowsToKeep = inputs.find(({ name }) => name === "num_logits_to_keep");
  return {
    vocabularySize: vocabularySize(logits, sizes, file),
    logitsType: floatType(logits, file),
    attentionMask: inputs.some(({ name }) => name === "attention_mask"),
    positionIds: inputs.some(({ name }) => name === "position_ids"),
    rowsToKeepShape: rowsToKeep ? rowsToKeep.shape.map(() => 1) : null,
    caches,
    contextLength: sizes.contextLength,
  };
}

const knownInputs = new Set(["input_ids", "attention_mask", "position_ids", "num_logits_to_keep"]);

function refuseOthers(inputs: readonly TensorInfo[], file: string): void {
  for (const { name, type } of inputs) {
    if (cacheName.test(name)) continue;
    if (stateName.test(name)) {
      throw stateError(file);
    }
    if (!knownInputs.has(name)) {
      throw new UnsupportedGraphError(
        `${file} asks for an input "${name}" (${type}) that Midtoken does not know how to fill. Choose another export of the model.`,
      );
    }
    if (type !== "int64") {
      throw new UnsupportedGraphError(
        `${file} takes "${name}" as ${type} instead of int64. Choose another export of the model.`,
      );
    }
  }
}

/** Sizes by config.json; null where it does not say. */
export interface ConfigSizes {
  readonly heads: number | null;
  readonly headSize: number | null;
  readonly vocabulary: number | null;
  readonly contextLength: number;
}

export function configSizes(whole: Readonly<Record<string, unknown>>): ConfigSizes {
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
): CacheEntry {
  const output = input.name.replace(/^past(_key_values)?/, "present");
  if (!outputs.some(({ name }) => name === output)) {
    throw new UnsupportedGraphError(
      `${file} takes the cache "${input.name}" and does not give "${output}" back. Choose another export of the model.`,
    );
  }
  const [, heads, , headSize] = input.shape;
  return {
    input: input.name,
    output,
    heads: fixedSize(heads, sizes.heads, input, file, "num_key_value_heads"),
    headSize: fixedSize(headSize, sizes.headSize, input, file, "head_dim"),
    type: floatType(input, file),
  };
}

/** The size that the graph's metadata gives, else that of config.json: the newest builder writes the head size as a symbol. */
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
    `${file} leaves the shape of "${input.name}" open (${input.shape.join(" × ")}), and config.json does not give "${key}". Add it to config.json.`,
  );
}

function floatType({ name, type }: TensorInfo, file: string): FloatType {
  if (type === "float32" || type === "float16") return type;
  throw new UnsupportedGraphError(
    `${file} has "${name}" as ${type}; float32 and float16 are known. Choose another export of the model.`,
  );
}

function vocabularySize(logits: TensorInfo, sizes: ConfigSizes, file: string): number {
  const last = logits.shape.at(-1);
  if (typeof last === "number" && last > 0) return last;
  if (sizes.vocabulary !== null) return sizes.vocabulary;
  throw new UnsupportedGraphError(
    `${file} does not say how many logits it gives, and config.json has no "vocab_size". Add it to config.json.`,
  );
}

/** The error for exports that append to their cache at every step: such a cache cannot be cut back by a counter. */
export function growingCacheError(file: string): UnsupportedGraphError {
  return new UnsupportedGraphError(
    `${file} appends to its cache instead of writing into one of fixed size: a growing-cache export. This kind does not run here yet; choose an export with GroupQueryAttention.`,
  );
}

/** The error for models that remember more than keys and values. */
export function stateError(file: string): UnsupportedGraphError {
  return new UnsupportedGraphError(
    `${file} keeps a convolution or recurrent state, which cannot be cut back by a counter. Models of this kind do not run here yet; choose one with attention only.`,
  );
}

/**
 * Tells from the probe run (see `probe`) how the graph keeps its cache. A cache of fixed size still has 8 rows after the
 * run; a growing cache has another number.
 * @param presentRows rows of the first present output.
 * @throws UnsupportedGraphError unless the graph writes into a cache of fixed size.
 */
export function refuseGrowingCache(presentRows: number, file: string): void {
  if (presentRows !== probe.rows) throw growingCacheError(file);
}

/** The probe run: rows of the past cache, length of the attention mask, and the id of its one token. */
export const probe = { rows: 8, mask: 4, token: 0 } as const;

/**
 * The error for a graph whose first run failed. It will never run on that device, and the user hears of it before waiting
 * for an answer.
 */
export function refusedRun(error: unknown, file: string, device: string): Error {
  if (error instanceof UnsupportedGraphError) return error;
  const message = messageOf(error);
  const advice = /q_norm_weight|k_norm_weight/.test(message)
    ? "It was made for WebGPU: the norms of queries and keys are inside its attention operator, which the runtime has on WebGPU alone. Choose WebGPU or another file of the model."
    : "Choose another file of the model.";
  return new UnsupportedOnDeviceError(`${file} does not run on ${device}. ${advice} ${message}`, {
    cause: error,
  });
}
