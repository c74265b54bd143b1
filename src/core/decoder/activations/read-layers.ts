/**
 * Reads hidden states and lens of a text outside requests, for the view of a recorded run and for making vectors. The text uses the
 * KV cache of the requests, so the model does not read cached tokens again.
 */
import type { TokenId } from "../../sdk/request.ts";
import { type CacheKey, steeringOfKey } from "../kv-cache/cache-key.ts";
import type { FillCache } from "../kv-cache/forward-pass.ts";
import type { KvCache } from "../kv-cache/kv-cache.ts";
import type { PassActivations } from "../kv-cache/pass-activations.ts";
import { distributionOf } from "../logits/distribution.ts";
import { topKOf } from "../logits/top-k.ts";
import { checkLayersQuery } from "./check-layers-query.ts";
import { layersIn } from "./layer-list.ts";
import type { LayersQuery, LayersReading, LensQuery, PlaceReading } from "./layers-query.ts";
import { sumByLayer } from "./mod-vectors.ts";
import { activationsError, SteeredText } from "./steered-text.ts";

/**
 * The most tokens of a pass. A pass holds logits and hidden states of all its tokens, and a cancel has to wait until the
 * pass ends.
 */
const mostRows = 32;

export interface ReadLayersOptions {
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** Awaited before each pass, and before the lens of a place is computed. If it throws, the reading ends with this error. */
  readonly beforePass?: () => Promise<void>;
  /** Called with each place as soon as it is read. */
  readonly onPlace?: (reading: PlaceReading) => void;
}

/**
 * Lets the model read the text up to the query's last place, and returns the hidden states and the lens of each place.
 * @throws RangeError that names what is wrong with the query; ForwardError if the model fails; the errors of `beforePass`.
 */
export async function readLayers(
  kvCache: KvCache,
  query: LayersQuery,
  options: ReadLayersOptions,
): Promise<LayersReading> {
  const { activations } = kvCache;
  if (!activations)
    throw new RangeError(
      "The model was loaded without access to its layers: load the model with `openLayers`.",
    );
  checkLayersQuery(query, kvCache.model, activations.sizes);
  kvCache.leaveLogitsOnDevice(null);
  const places: PlaceReading[] = [];
  try {
    const keys = await steeredKeys(kvCache, activations, query, options);
    await kvCache.resume(keys);
    for await (const reading of eachPlace(kvCache, activations, { query, keys, options })) {
      places.push(reading);
      options.onPlace?.(reading);
    }
  } finally {
    activations.keep([]);
  }
  return { ...activations.sizes, places };
}

/** The text up to the last place, with the vectors that steered each token. */
async function steeredKeys(
  kvCache: KvCache,
  activations: PassActivations,
  { tokens, places, steered = [] }: LayersQuery,
  { now, beforePass }: ReadLayersOptions,
): Promise<readonly CacheKey[]> {
  const text = new SteeredText(kvCache, activations, []);
  const read = tokens.slice(0, (places.at(-1) ?? 0) + 1);
  for (const { from, to, vectors, patches } of steered) {
    text.extend(Math.min(from, read.length), new Map(), []);
    // If the span continues after the last place, its patches belong to a token that is not read.
    text.extend(Math.min(to, read.length), sumByLayer(vectors), to <= read.length ? patches : []);
  }
  text.extend(read.length, new Map(), []);
  const compute: FillCache = (keys) => kvCache.prefill(keys, { now, ...(beforePass && { beforePass }) });
  await text.settle(read, compute);
  return text.keys(read);
}

interface Reading {
  readonly query: LayersQuery;
  readonly keys: readonly CacheKey[];
  readonly options: ReadLayersOptions;
}

async function* eachPlace(
  kvCache: KvCache,
  activations: PassActivations,
  reading: Reading,
): AsyncGenerator<PlaceReading> {
  const { query, keys, options } = reading;
  const { layerCount, hiddenSize } = activations.sizes;
  const hidden = query.hidden === undefined ? [] : layersIn(query.hidden, layerCount);
  const lens = query.lens === undefined ? [] : layersIn(query.lens.layers, layerCount);
  const kept = layersIn([...hidden, ...lens], layerCount);
  let most = Math.min(kvCache.model.promptPassTokens, mostRows);
  for (let next = 0; next < query.places.length; ) {
    const start = query.places[next] as number;
    const end = passEnd(keys, start, most);
    await readUpTo(kvCache, keys.slice(0, start), options);
    await options.beforePass?.();
    activations.keep(kept);
    await kvCache.forward(keys.slice(0, end), options.now, end - start);
    const rows = await rowsOf(kvCache, activations, kept);
    activations.keep([]);
    // Some graphs return the states of only the last token of a pass: then this place is read again, and each further pass reads one token.
    const first = end - (rows.values().next().value?.length ?? 0) / hiddenSize;
    if (first > start && end > start + 1) {
      most = 1;
      continue;
    }
    for (; next < query.places.length && (query.places[next] as number) < end; next++) {
      const place = query.places[next] as number;
      const stateOf = (layer: number) =>
        rows.get(layer)?.slice((place - first) * hiddenSize, (place - first + 1) * hiddenSize) ??
        new Float32Array(hiddenSize);
      if (lens.length > 0) await options.beforePass?.();
      yield {
        place,
        hidden: query.hidden === undefined ? null : joined(hidden.map(stateOf), hiddenSize),
        lens: query.lens
          ? await said(kvCache, activations, lens, joined(lens.map(stateOf), hiddenSize), query.lens, next)
          : [],
      };
    }
  }
}

/** The place after the last token that one pass can read from `start` on: a pass reads only tokens with the same steering. */
function passEnd(keys: readonly CacheKey[], start: number, most: number): number {
  const steering = steeringOfKey(keys[start] ?? 0);
  let end = start + 1;
  while (end < keys.length && end - start < most && steeringOfKey(keys[end] as CacheKey) === steering) end++;
  return end;
}

/** Computes the text in the KV cache, so that the next pass begins after it. */
async function readUpTo(
  kvCache: KvCache,
  text: readonly CacheKey[],
  { now, beforePass }: ReadLayersOptions,
): Promise<void> {
  const shared = kvCache.sharedLength(text);
  if (shared < text.length) await kvCache.prefill(text, { now, ...(beforePass && { beforePass }) });
  else kvCache.truncate(text.length);
}

async function rowsOf(
  kvCache: KvCache,
  { layers }: PassActivations,
  kept: readonly number[],
): Promise<ReadonlyMap<number, Float32Array>> {
  const rows = new Map<number, Float32Array>();
  try {
    for (const layer of kept) rows.set(layer, await layers.hidden(layer));
  } catch (error) {
    throw activationsError(kvCache, error);
  }
  return rows;
}

function joined(states: readonly Float32Array[], hiddenSize: number): Float32Array {
  const all = new Float32Array(states.length * hiddenSize);
  for (const [i, state] of states.entries()) all.set(state, i * hiddenSize);
  return all;
}

/** `states`: `(layers, hidden)`. `at`: the place's index in the query. */
async function said(
  kvCache: KvCache,
  { layers: model }: PassActivations,
  layers: readonly number[],
  states: Float32Array,
  { count, tokens }: LensQuery,
  at: number,
): Promise<PlaceReading["lens"]> {
  const width = kvCache.model.vocabularySize;
  const logits = await model.lens(states).catch((error: unknown) => {
    throw activationsError(kvCache, error);
  });
  return layers.map((layer, i) => {
    const row = logits.subarray(i * width, (i + 1) * width);
    const { entropy, logSumExp } = distributionOf(row);
    return {
      layer,
      top: topKOf(row, count, logSumExp),
      entropy,
      token: about(row, tokens[at] ?? null, logSumExp),
    };
  });
}

function about(
  row: Float32Array,
  token: TokenId | null,
  logSumExp: number,
): { rank: number; logprob: number } | null {
  if (token === null) return null;
  const logit = row[token] ?? Number.NEGATIVE_INFINITY;
  let rank = 0;
  for (const other of row) if (other > logit) rank += 1;
  return { rank, logprob: logit - logSumExp };
}
