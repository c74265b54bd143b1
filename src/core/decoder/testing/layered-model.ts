/**
 * A language model of three layers whose every number a test can work out: what a layer holds depends on the token, on what it
 * holds of the tokens before, and on what steers. `computedStates` works it out apart from the model, with patches put in place.
 */
import { mix32 } from "../../base/random.ts";
import type { TokenId } from "../../sdk/request.ts";
import type { CacheSegment, CacheSegments, LanguageModel } from "../ports/language-model.ts";
import {
  checkedVectors,
  checkLayer,
  checkRows,
  type ModelLayers,
  type SteeringVectors,
} from "../ports/model-layers.ts";
import { END } from "./byte-tokenizer.ts";

export const layerCount = 3;
export const hiddenSize = 4;
const vocabularySize = 257;

/** For each layer, `(hidden)`. */
export type LayerStates = readonly Float32Array[];

/** How a token is computed. */
export interface SteeredToken {
  readonly token: TokenId;
  readonly vectors: SteeringVectors;
  /** By layer: the vector that replaces the layer's hidden state. */
  readonly patches?: ReadonlyMap<number, Float32Array>;
}

function noise(seed: number): number {
  return mix32(seed) / 2 ** 31 - 1;
}

/** The hidden states of a token that follows others. */
export function statesAfter(
  past: readonly LayerStates[],
  { token, vectors, patches }: SteeredToken,
): LayerStates {
  let x = Float32Array.from({ length: hiddenSize }, (_, i) => noise(token * 31 + i));
  return Array.from({ length: layerCount }, (_, layer) => {
    const patch = patches?.get(layer);
    x = x.map((number, i) => {
      const before = past.reduce((sum, states) => sum + (states[layer]?.[i] ?? 0), 0) / (past.length + 1);
      return Math.tanh(1.3 * number + 0.7 * before + 0.1 * layer) + (vectors.get(layer)?.[i] ?? 0);
    });
    if (patch) x = patch.slice() as typeof x;
    return x;
  });
}

/** The hidden states of each token of a text. */
export function computedStates(text: readonly SteeredToken[]): LayerStates[] {
  const all: LayerStates[] = [];
  for (const token of text) all.push(statesAfter(all, token));
  return all;
}

/** The logits that final norm and head make of a layer's hidden state. END is never likely, so that outputs go on. */
export function logitsOf(state: Float32Array): Float32Array {
  return Float32Array.from({ length: vocabularySize }, (_, token) =>
    token === END ? -50 : state.reduce((sum, number, i) => sum + 3 * number * noise(token * 977 + i + 5), 0),
  );
}

export interface LayeredModel extends LanguageModel {
  readonly layers: ModelLayers;
  /** For each token of the context, the hidden states of its layers. */
  readonly states: readonly LayerStates[];
}

export interface LayeredModelOptions {
  readonly capacity?: number;
  readonly promptPassTokens?: number;
  /** Gives logits and states of a pass's last token alone. */
  readonly lastRowOnly?: boolean;
}

export function layeredModel({
  capacity = 4096,
  promptPassTokens = 512,
  lastRowOnly = false,
}: LayeredModelOptions = {}): LayeredModel {
  const states: LayerStates[] = [];
  const saved = new Map<CacheSegment, readonly LayerStates[]>();
  let steering: SteeringVectors = new Map();
  let kept: readonly number[] = [];
  let rows = new Map<number, Float32Array>();

  const layers: ModelLayers = {
    count: layerCount,
    hiddenSize,
    steer(vectors) {
      steering = checkedVectors(vectors, layers);
    },
    keep(wanted) {
      for (const layer of wanted) checkLayer(layer, layerCount);
      kept = wanted;
    },
    async hidden(layer) {
      const found = rows.get(layer);
      if (!found) throw new RangeError(`No rows of layer ${layer} were kept.`);
      return found.slice();
    },
    async lens(given) {
      checkRows(given, hiddenSize);
      const all = Array.from({ length: given.length / hiddenSize }, (_, row) => [
        ...logitsOf(given.slice(row * hiddenSize, (row + 1) * hiddenSize)),
      ]);
      return Float32Array.from(all.flat());
    },
  };
  const segments: CacheSegments = {
    bytesOf: (from, to) => to - from,
    async save(from, to) {
      const segment = { from, to, bytes: to - from };
      saved.set(segment, states.slice(from, to));
      return segment;
    },
    async restore(tokens, parts) {
      if (tokens.some((token) => token >= vocabularySize)) throw new RangeError("There is no such token.");
      states.length = 0;
      for (const [i, part] of parts.entries()) {
        const end = parts[i + 1]?.from ?? tokens.length;
        states.push(...(saved.get(part) ?? []).slice(0, end - part.from));
      }
    },
    free: (segment) => void saved.delete(segment),
  };
  return {
    vocabularySize,
    capacity,
    promptPassTokens,
    layers,
    segments,
    states,
    endOfSequence: [END],
    get length() {
      return states.length;
    },
    async forward(tokens, wanted = 1) {
      if (states.length + tokens.length > capacity) throw new RangeError(`The context holds ${capacity}.`);
      rows = new Map();
      for (const token of tokens) states.push(statesAfter(states, { token, vectors: steering }));
      const given = states.slice(states.length - (lastRowOnly ? 1 : wanted));
      const flat = (layer: number) =>
        Float32Array.from(given.flatMap((each) => [...(each[layer] as Float32Array)]));
      for (const layer of kept) rows.set(layer, flat(layer));
      return Float32Array.from(given.flatMap((each) => [...logitsOf(each[layerCount - 1] as Float32Array)]));
    },
    truncate(length) {
      if (length > states.length) throw new RangeError(`It holds ${states.length}.`);
      states.length = length;
    },
    async dispose() {},
  };
}
