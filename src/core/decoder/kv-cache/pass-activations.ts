/** The inside of a KV cache's passes: what steers them, and which hidden states they keep. There for models whose layers are open. */
import type { LayerSizes } from "../../sdk/wire-event.ts";
import type { ModelLayers } from "../ports/model-layers.ts";
import { type CacheKey, steeringOf } from "./cache-key.ts";
import { mostSteeringNumbers, SteeringTable } from "./steering-table.ts";

/** As `CachedPrefixes` has them. */
interface KeptTexts {
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

  /** Layers whose hidden states the next passes keep. @throws RangeError for a layer that does not exist. */
  keep(layers: readonly number[]): void {
    this.layers.keep(layers);
    this.#kept = layers;
  }

  /** Hidden states are kept: a pass has to run also where its logits are at hand, because nothing has kept them from before. */
  get isRead(): boolean {
    return this.#kept.length > 0;
  }

  /** Steers every token that is computed from now on. @param steering the number that `steerings` gave */
  steer(steering: number): void {
    // The same vectors are not handed over again, because the model saves a copy of each for each token.
    if (steering === this.#steeredBy) return;
    this.layers.steer(this.steerings.vectorsOf(steering));
    this.#steeredBy = steering;
  }

  /**
   * Forgets steerings under which no token of these texts was computed. Steerings of the cached prefixes in `beside` stay as
   * well, as long as there is room.
   */
  keepSteeringsOf(texts: readonly (readonly CacheKey[])[], beside: KeptTexts | null = null): void {
    if (this.steerings.size === 0) return;
    const used = new Set<number>();
    for (const text of [...texts, ...(beside?.texts ?? [])])
      for (const key of text) used.add(steeringOf(key));
    this.steerings.keepOnly(used);
    if (this.steerings.numbers > 2 * mostSteeringNumbers && beside?.free()) this.keepSteeringsOf(texts);
  }

  /** `(hidden)` at the last token of the last pass, of a layer that it kept. @throws what the model throws. */
  async hiddenState(layer: number): Promise<Float32Array> {
    const rows = await this.layers.hidden(layer);
    return rows.slice(-this.layers.hiddenSize);
  }
}
