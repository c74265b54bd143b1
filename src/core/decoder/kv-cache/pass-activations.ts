/**
 * The activations of a KV cache's passes: the vectors that steer them, and the layers whose hidden states they save. Used
 * only for models whose layers are open.
 */
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { ModelLayers } from "../ports/model-layers.ts";
import { type CacheKey, steeringOfKey } from "./cache-key.ts";
import { maximumSteeringFloats, SteeringTable } from "./steering-table.ts";

/** The part of `CachedPrefixes` that this file uses. */
interface CachedTexts {
  readonly texts: readonly (readonly CacheKey[])[];
  free(): boolean;
}

export class PassActivations {
  readonly layers: ModelLayers;
  readonly steerings = new SteeringTable();
  #steeredBy = 0;
  #kept: readonly number[] = [];

  constructor(layers: ModelLayers) {
    this.layers = layers;
  }

  get sizes(): LayerSizes {
    return { layerCount: this.layers.count, hiddenSize: this.layers.hiddenSize };
  }

  /** Sets the layers whose hidden states the next passes save. @throws RangeError for a layer that does not exist. */
  keep(layers: readonly number[]): void {
    this.layers.keep(layers);
    this.#kept = layers;
  }

  /**
   * Hidden states are needed: a pass has to run even if its logits are cached, because earlier passes did not save hidden
   * states.
   */
  get isRead(): boolean {
    return this.#kept.length > 0;
  }

  /** Steers every token that is computed from now on. @param steering the number that `steerings` gave */
  steer(steering: number): void {
    // The same vectors are not passed to the model again, because the model saves a copy of them for each token.
    if (steering === this.#steeredBy) return;
    this.layers.steer(this.steerings.vectorsOf(steering));
    this.#steeredBy = steering;
  }

  /**
   * Forgets steerings under which no token of these texts was computed. Steerings of the cached prefixes in `beside` stay
   * too. If the table then has too many numbers, the cached prefixes are freed, and their steerings are forgotten.
   */
  keepSteeringsOf(texts: readonly (readonly CacheKey[])[], beside: CachedTexts | null = null): void {
    if (this.steerings.size === 0) return;
    const used = new Set<number>();
    for (const text of [...texts, ...(beside?.texts ?? [])])
      for (const key of text) used.add(steeringOfKey(key));
    this.steerings.keepOnly(used);
    if (this.steerings.numbers > 2 * maximumSteeringFloats && beside?.free()) this.keepSteeringsOf(texts);
  }

  /** The hidden state, `(hidden)`, at the last token of the last pass, of a layer in `keep`. @throws the model's errors. */
  async hiddenState(layer: number): Promise<Float32Array> {
    const rows = await this.layers.hidden(layer);
    return rows.slice(-this.layers.hiddenSize);
  }
}
