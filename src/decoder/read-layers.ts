/** Answers a `LayersQuery` over a KV cache: reads the text as far as it has to, with the hidden states of the places that are asked about. */
import type { LayerList } from "../sdk/mod.ts";
import type { TokenId } from "../sdk/request.ts";
import type { Clock } from "./advance.ts";
import { distributionOf } from "./distribution.ts";
import type { KvCache } from "./kv-cache.ts";
import type { LayerSays, LayersQuery, LayersReading, LensQuery, PlaceReading } from "./layers-query.ts";
import { checkLayer, type ModelLayers } from "./model-layers.ts";
import { topOf } from "./top-tokens.ts";

export interface ReadLayersOptions {
  /** What aborts it is heard between passes, and between calls of the lens. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each place once it is read, in their order. */
  readonly onPlace?: ((reading: PlaceReading) => void) | undefined;
  readonly now: Clock;
  /** Awaited before each pass and each call of the lens, so that a cancel which has arrived is heard. */
  readonly turn?: (() => Promise<void>) | undefined;
}

/** Logits that one call of the lens gives, at most, where that is more than one row: a cancel waits for one call. */
const lensLogits = 2 ** 19;

/** Most tokens of a pass whose hidden states are wanted: the model computes logits for as many. */
const readPassTokens = 64;

/**
 * @throws RangeError, in a sentence, where the query asks for what there is not; the signal's reason; ForwardError where the model fails.
 */
export async function readLayers(
  kvCache: KvCache,
  query: LayersQuery,
  options: ReadLayersOptions,
): Promise<LayersReading> {
  const { model } = kvCache;
  const { layers } = model;
  checkLayersText(query, model);
  if (!layers) throw new RangeError("The model was loaded without its layers, which are to be read.");
  if (query.steered?.some(({ vectors, patches }) => vectors.length + patches.length > 0))
    throw new RangeError("A text that was steered is not read here.");
  const wanted = wantedLayers(query, layers);
  const onTurn = async () => {
    await options.turn?.();
    options.signal?.throwIfAborted();
  };
  const places: PlaceReading[] = [];
  layers.steer(new Map());
  layers.keep(wanted.kept);
  kvCache.leaveRows(null);
  try {
    for await (const rows of passes(kvCache, query, { onTurn, now: options.now })) {
      const streams = new Map<number, Float32Array>();
      for (const layer of wanted.kept) streams.set(layer, await layers.hidden(layer));
      for (const at of rows.places) {
        const state = (layer: number) => rowFromEnd(streams.get(layer), rows.end - at, layers.hiddenSize);
        const { lens: asked } = query;
        const token = asked?.tokens[query.places.indexOf(at)] ?? null;
        const reading: PlaceReading = {
          place: at,
          hidden: query.hidden ? joined(wanted.hidden.map(state)) : null,
          lens: asked ? await says(layers, wanted.lens, state, { ...asked, token, onTurn }) : [],
        };
        options.signal?.throwIfAborted();
        places.push(reading);
        options.onPlace?.(reading);
      }
    }
  } finally {
    // After a failure the model refuses it.
    if (!kvCache.hasFailed) layers.keep([]);
  }
  return { layerCount: layers.count, hiddenSize: layers.hiddenSize, places };
}

/** What is asked about the text, apart from the layers. @throws RangeError that says what is wrong with it. */
export function checkLayersText(
  { tokens, places, lens }: LayersQuery,
  { vocabularySize, capacity }: { readonly vocabularySize: number; readonly capacity: number },
): void {
  const fail = (message: string): never => {
    throw new RangeError(message);
  };
  const isToken = (token: TokenId) => Number.isInteger(token) && token >= 0 && token < vocabularySize;
  const strange = tokens.findIndex((token) => !isToken(token));
  if (tokens.length === 0) fail("There is no text whose layers could be read: it has no tokens.");
  if (tokens.length > capacity)
    fail(`The text has ${tokens.length} tokens, but the model's context holds ${capacity}: shorten it.`);
  if (strange >= 0)
    fail(
      `Token ${tokens[strange]} at place ${strange} is not in the model's vocabulary of ${vocabularySize}: was the text read by another model?`,
    );
  if (places.length === 0) fail("No place of the text was asked about: give at least one.");
  for (const [i, place] of places.entries()) {
    if (!Number.isInteger(place) || place < 0 || place >= tokens.length)
      fail(
        `There is no place ${place} in a text of ${tokens.length} tokens: give 0 to ${tokens.length - 1}.`,
      );
    if (i > 0 && place <= (places[i - 1] as number))
      fail(`Place ${place} stands after place ${places[i - 1]}: give each once, in ascending order.`);
  }
  if (!lens) return;
  if (!Number.isInteger(lens.count) || lens.count < 0 || lens.count > vocabularySize)
    fail(
      `${lens.count} of the likeliest tokens were asked for: give a whole number from 0 to ${vocabularySize}.`,
    );
  if (lens.tokens.length !== places.length)
    fail(
      `There are ${lens.tokens.length} tokens to rank for ${places.length} places: give one, or null, for each.`,
    );
  const unranked = lens.tokens.find((token) => token !== null && !isToken(token));
  if (unranked !== undefined)
    fail(`Token ${unranked} is to be ranked, and the model's vocabulary has 0 to ${vocabularySize - 1}.`);
}

interface WantedLayers {
  readonly hidden: readonly number[];
  readonly lens: readonly number[];
  /** Either. */
  readonly kept: readonly number[];
}

/** In ascending order. @throws RangeError for a layer that does not exist. */
function wantedLayers({ hidden, lens }: LayersQuery, { count }: ModelLayers): WantedLayers {
  const listed = (list: LayerList): number[] => {
    if (list === "all") return Array.from({ length: count }, (_, layer) => layer);
    for (const layer of list) checkLayer(layer, count);
    return [...new Set(list)].sort((a, b) => a - b);
  };
  const wanted = { hidden: listed(hidden ?? []), lens: listed(lens?.layers ?? []) };
  return { ...wanted, kept: listed([...wanted.hidden, ...wanted.lens]) };
}

/** After a pass: which places it has rows of, and where it ended. */
interface PassRows {
  readonly places: readonly number[];
  readonly end: number;
}

/** Passes over the text up to the last place; stops after each that has a place in it. */
async function* passes(
  kvCache: KvCache,
  { tokens, places }: LayersQuery,
  { onTurn, now }: { readonly onTurn: () => Promise<void>; readonly now: Clock },
): AsyncGenerator<PassRows> {
  const first = places[0] as number;
  const text = tokens.slice(0, (places.at(-1) as number) + 1);
  await kvCache.resume(text);
  let at = Math.min(kvCache.sharedLength(text), first);
  kvCache.truncate(at);
  while (at < text.length) {
    await onTurn();
    const isBefore = at < first;
    const most = Math.min(kvCache.model.promptPassTokens, isBefore ? first - at : readPassTokens);
    const end = Math.min(at + most, text.length);
    const inside = places.filter((place) => place >= at && place < end);
    await kvCache.advance(text.slice(0, end), now, inside[0] === undefined ? 0 : end - inside[0]);
    if (inside.length > 0) yield { places: inside, end };
    at = end;
  }
}

/** A copy of the row so many before the end, the last one being 1. */
function rowFromEnd(rows: Float32Array | undefined, back: number, width: number): Float32Array {
  const end = (rows?.length ?? 0) - (back - 1) * width;
  return rows?.slice(end - width, end) ?? new Float32Array();
}

function joined(rows: readonly Float32Array[]): Float32Array {
  const width = rows[0]?.length ?? 0;
  const all = new Float32Array(rows.length * width);
  for (const [i, row] of rows.entries()) all.set(row, i * width);
  return all;
}

interface Saying extends Pick<LensQuery, "count"> {
  readonly token: TokenId | null;
  readonly onTurn: () => Promise<void>;
}

/** What each of the layers would say. */
async function says(
  model: ModelLayers,
  layers: readonly number[],
  state: (layer: number) => Float32Array,
  { onTurn, ...asked }: Saying,
): Promise<LayerSays[]> {
  const all: LayerSays[] = [];
  let atOnce = 1;
  while (all.length < layers.length) {
    await onTurn();
    const some = layers.slice(all.length, all.length + atOnce);
    const logits = await model.lens(joined(some.map(state)));
    const width = logits.length / some.length;
    for (const [i, layer] of some.entries())
      all.push(said(layer, logits.subarray(i * width, (i + 1) * width), asked));
    atOnce = Math.max(1, Math.floor(lensLogits / width));
  }
  return all;
}

function said(layer: number, logits: Float32Array, { count, token }: Omit<Saying, "onTurn">): LayerSays {
  const { logSumExp, entropy } = distributionOf(logits);
  const own = token === null ? null : (logits[token] as number);
  return {
    layer,
    top: topOf(logits, count, logSumExp),
    entropy,
    token: own === null ? null : { rank: countAbove(logits, own), logprob: own - logSumExp },
  };
}

function countAbove(logits: Float32Array, border: number): number {
  let count = 0;
  for (let i = 0; i < logits.length; i++) if ((logits[i] as number) > border) count += 1;
  return count;
}
