/**
 * The steering of each token of a text, as keys of the KV cache. A patch becomes a steering vector when its pass runs: the pass runs
 * without the patch, and then again with the difference between the wanted and the computed hidden state as a vector.
 */

import { messageOf } from "../../base/message-of.ts";
import type { TokenId } from "../../sdk/request.ts";
import { type CacheKey, cacheKey } from "../kv-cache/cache-key.ts";
import type { FillCache, PassResult } from "../kv-cache/forward-pass.ts";
import type { PassActivations } from "../kv-cache/pass-activations.ts";
import { maximumSteeringFloats } from "../kv-cache/steering-table.ts";
import { type LanguageModel, ModelDeadError } from "../ports/language-model.ts";
import type { SteeringVectors } from "../ports/model-layers.ts";
import { ForwardError } from "../ports/request-error.ts";
import type { Patch } from "./mod-vectors.ts";

/** The patches of one token. */
interface Patched {
  /** The number, in the table of steerings, of the vectors that steered the token; patches are not part of them. */
  readonly steering: number;
  readonly patches: readonly Patch[];
}

/** The parts of the KV cache that this file uses. */
export interface SteeredTextCache {
  readonly model: Pick<LanguageModel, "vocabularySize">;
  /** Marks the model as lost, and returns the error that says so. */
  fail(message: string, cause?: unknown): ForwardError;
}

export class SteeredText {
  readonly #kvCache: SteeredTextCache;
  readonly #passActivations: PassActivations;
  /**
   * For each token, the number of its steering in the table. For a token whose patches are not known yet, the number without
   * patches.
   */
  #steerings: number[] = [];
  /** The patches of tokens, by place in the text. */
  readonly #patched = new Map<number, Patched>();
  /** Places whose patches have not been turned into vectors yet. */
  readonly #unsettled = new Set<number>();
  /** Layers whose hidden states every pass saves. */
  readonly #kept: readonly number[];
  /** How many new numbers the table has given out. */
  #newNumbers = 0;

  constructor(kvCache: SteeredTextCache, passActivations: PassActivations, kept: readonly number[]) {
    this.#kvCache = kvCache;
    this.#passActivations = passActivations;
    this.#kept = kept;
    passActivations.keep(kept);
  }

  /** The number of tokens whose steering is known. */
  get length(): number {
    return this.#steerings.length;
  }

  /** Whether any token is steered. */
  get isSteered(): boolean {
    return this.#steerings.some((steering) => steering !== 0);
  }

  /**
   * Extends the text to `length` tokens: `vectors` steer the new tokens. The last token, which may have been computed before, gets
   * `patches` in addition to the patches that it has. @throws ForwardError
   */
  extend(length: number, vectors: SteeringVectors, patches: readonly Patch[]): void {
    const steering = length > this.length ? this.#numberOf(vectors) : 0;
    while (this.length < length) this.#steerings.push(steering);
    if (patches.length === 0) return;
    const place = length - 1;
    const known = this.#patched.get(place);
    const byLayer = new Map([...(known?.patches ?? []), ...patches].map((patch) => [patch.layer, patch]));
    this.#patched.set(place, {
      steering: known?.steering ?? (this.#steerings[place] as number),
      patches: [...byLayer.values()].toSorted((a, b) => a.layer - b.layer),
    });
    this.#unsettled.add(place);
  }

  /**
   * The table's number of these vectors. The table remembers a limited number of vectors for one text, because a mod
   * may steer by other vectors at each token.
   */
  #numberOf(vectors: SteeringVectors): number {
    const { steerings } = this.#passActivations;
    const before = steerings.numbers;
    const steering = steerings.idOf(vectors);
    this.#newNumbers += steerings.numbers - before;
    if (this.#newNumbers <= maximumSteeringFloats) return steering;
    throw new ForwardError(
      `The mods used too many different steering vectors: all vectors of one request together may hold at most ${maximumSteeringFloats} numbers. Use the same vector in several steps, or steer fewer layers.`,
    );
  }

  truncate(length: number): void {
    if (length < this.length) this.#steerings.length = length;
    for (const place of this.#patched.keys()) {
      if (place < length) continue;
      this.#patched.delete(place);
      this.#unsettled.delete(place);
    }
  }

  keys(tokens: readonly TokenId[]): CacheKey[] {
    return tokens.map((token, place) => cacheKey(token, this.#steerings[place] ?? 0));
  }

  /** Turns the patches of these tokens into vectors. @throws ForwardError and whatever `read` throws. */
  async settle(tokens: readonly TokenId[], read: FillCache): Promise<void> {
    for (const place of [...this.#unsettled].toSorted((a, b) => a - b))
      if (place < tokens.length) await this.pass(tokens.slice(0, place + 1), read, read);
  }

  /** Like `keys`, after the patches of the tokens before the last are vectors. @throws ForwardError and whatever `read` throws. */
  async settledKeys(tokens: readonly TokenId[], read: FillCache): Promise<CacheKey[]> {
    await this.settle(tokens.slice(0, -1), read);
    return this.keys(tokens);
  }

  /**
   * Reads the last token with its patches. `first` makes the cache hold the text without patches; `again` reads the
   * last token once more with the measured vectors. The result counts as one pass and has the logits of `first` for
   * the tokens before the last.
   * @throws ForwardError and whatever `first` and `again` throw.
   */
  async pass(tokens: readonly TokenId[], first: FillCache, again: FillCache): Promise<PassResult> {
    const place = tokens.length - 1;
    const patches = this.#patched.get(place);
    if (!patches || !this.#unsettled.has(place)) return first(this.keys(tokens));
    this.#steerings[place] = patches.steering;
    return this.#keeping(patches.patches, async () => {
      const vectors = new Map(this.#passActivations.steerings.vectorsOf(patches.steering));
      let patched = await first(this.keys(tokens));
      for (const { layer, vector } of patches.patches) {
        const state = await this.hiddenState(layer);
        const steered = vectors.get(layer);
        const lacking = state.map((number, i) => (steered?.[i] ?? 0) + ((vector[i] as number) - number));
        vectors.set(layer, this.#finite(lacking, layer));
        this.#steerings[place] = this.#numberOf(vectors);
        patched = joined(patched, await again(this.keys(tokens)));
      }
      this.#unsettled.delete(place);
      return patched;
    });
  }

  /** Runs `work` while passes also keep the hidden states of the patched layers. */
  async #keeping<T>(patches: readonly Patch[], work: () => Promise<T>): Promise<T> {
    this.#passActivations.keep([...new Set([...this.#kept, ...patches.map(({ layer }) => layer)])]);
    try {
      return await work();
    } finally {
      this.#passActivations.keep(this.#kept);
    }
  }

  #finite(vector: Float32Array, layer: number): Float32Array {
    if (vector.every(Number.isFinite)) return vector;
    throw new ForwardError(
      `The hidden state after layer ${layer} cannot be replaced: the state, or its difference from the patch, contains NaN or an infinite number. Use smaller numbers in the patch, or smaller steering vectors.`,
    );
  }

  /** `(hidden)` at the last token of the last pass. @throws ForwardError */
  async hiddenState(layer: number): Promise<Float32Array> {
    try {
      return await this.#passActivations.hiddenState(layer);
    } catch (error) {
      throw activationsError(this.#kvCache, error);
    }
  }
}

/** The error to throw after a failure while hidden states were read or turned into logits. Marks a model that is dead as lost. */
export function activationsError(kvCache: SteeredTextCache, error: unknown): ForwardError {
  if (error instanceof ForwardError) return error;
  if (error instanceof ModelDeadError) return kvCache.fail(messageOf(error), error);
  return new ForwardError(messageOf(error), { cause: error });
}

/** Joins two pass results for the same last token: its logits come from the later result. */
function joined(first: PassResult, later: PassResult): PassResult {
  const last = first.passes.at(-1);
  const durationMs = later.passes.reduce((sum, pass) => sum + pass.durationMs, last?.durationMs ?? 0);
  const pass = { tokenCount: last?.tokenCount ?? 1, durationMs };
  return {
    ...first,
    rows: [...first.rows.slice(0, -1), ...later.rows.slice(-1)],
    passes: [...first.passes.slice(0, -1), pass],
  };
}
