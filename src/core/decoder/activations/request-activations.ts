/** The activations of one request: the vectors by which its mods steer, and the layers that they read. */

import { type Action, InvalidActionError, type PatchAction, type SteerAction } from "../../sdk/action.ts";
import type { EventType } from "../../sdk/event.ts";
import type { LayerSizes, WireTop } from "../../sdk/wire-event.ts";
import type { PassActivations } from "../kv-cache/pass-activations.ts";
import { topKOf } from "../logits/top-k.ts";
import { type ModHost, mostLensTokens, type StepActivations } from "../ports/mod-host.ts";
import { ForwardError } from "../ports/request-error.ts";
import { layersInAny } from "./layer-list.ts";
import { ModVectors } from "./mod-vectors.ts";
import { activationsError, SteeredText, type SteeredTextCache } from "./steered-text.ts";

export class RequestActivations {
  /** The vectors by which the mods of the request steer. */
  readonly present = new ModVectors();
  /** The vectors of the recorded mods at the event that catch-up.ts replays. */
  readonly past = new ModVectors();
  readonly text: SteeredText;
  readonly #kvCache: SteeredTextCache;
  readonly #passActivations: PassActivations;
  readonly #hiddenLayers: readonly number[];
  readonly #lensLayers: readonly number[];
  /** Layers whose hidden states or lens a mod reads. */
  readonly #readLayers: readonly number[];
  #isPast = false;
  #restored: ModVectors["entries"] = [];

  constructor(kvCache: SteeredTextCache, passActivations: PassActivations, mods: readonly ModHost[]) {
    this.#kvCache = kvCache;
    this.#passActivations = passActivations;
    const { layerCount } = passActivations.sizes;
    const needs = mods.flatMap((host) => host.needs.activations ?? []);
    this.#hiddenLayers = layersInAny(
      needs.filter(({ hiddenStates }) => hiddenStates).map(({ layers }) => layers),
      layerCount,
    );
    this.#lensLayers = layersInAny(
      needs.map(({ lens }) => lens),
      layerCount,
    );
    this.#readLayers = layersInAny([this.#hiddenLayers, this.#lensLayers], layerCount);
    this.text = new SteeredText(kvCache, passActivations, this.#readLayers);
  }

  get sizes(): LayerSizes {
    return this.#passActivations.sizes;
  }

  /** Whether vectors or patches changed any token that was computed. */
  get isSteering(): boolean {
    return this.text.isSteered;
  }

  get #steering(): ModVectors {
    return this.#isPast ? this.past : this.present;
  }

  /** Begins the catch-up of mods with recorded events: until `endPast`, the recorded vectors steer. */
  beginPast(): void {
    this.#isPast = true;
  }

  /**
   * Ends the catch-up: from now on the mods' own vectors steer. Drops patches that mods returned for recorded events, because the
   * passes of these events are over.
   */
  endPast(): void {
    if (!this.#isPast) return;
    this.present.takePatches();
    this.#isPast = false;
    this.#restored = this.present.entries;
  }

  /** Returns, once, the vectors that steered when the recorded past ended and that no record holds. */
  takeRestored(): ModVectors["entries"] {
    const restored = this.#restored;
    this.#restored = [];
    return restored;
  }

  /** Applies a mod's action. @throws InvalidActionError if the sum with the other mods' vectors is not finite. */
  take(action: Action, mod: number, event: EventType): void {
    try {
      if (action.type === "steer") this.present.set(mod, (action satisfies SteerAction).vectors);
      if (action.type === "patch") this.present.patch(action satisfies PatchAction);
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidActionError(action.type, event, error.message);
      throw error;
    }
  }

  /** Steers the first `length` tokens of a text of which more tokens follow; patches wait for the last token. */
  extendWithin(length: number): void {
    this.text.extend(length, this.#steering.sum, []);
  }

  /** Steers the new tokens of a text of `length` tokens, and patches the last. @throws ForwardError if the sum of the vectors is not finite */
  extend(length: number): void {
    const steering = this.#steering;
    try {
      this.text.extend(length, steering.sum, steering.takePatches());
    } catch (error) {
      if (error instanceof RangeError)
        throw new ForwardError(`The steering vectors of the mods cannot be added up: ${error.message}`);
      throw error;
    }
  }

  /** The activations that the mods read from the last pass. @throws ForwardError */
  async read(): Promise<StepActivations> {
    const hiddenStates = new Map<number, Float32Array>();
    const rows = new Float32Array(this.#lensLayers.length * this.sizes.hiddenSize);
    for (const layer of this.#readLayers) {
      const state = await this.text.hiddenState(layer);
      if (this.#hiddenLayers.includes(layer)) hiddenStates.set(layer, state);
      const place = this.#lensLayers.indexOf(layer);
      if (place >= 0) rows.set(state, place * this.sizes.hiddenSize);
    }
    return { hiddenStates, lens: await this.#lens(rows) };
  }

  async #lens(rows: Float32Array): Promise<ReadonlyMap<number, WireTop>> {
    if (rows.length === 0) return new Map();
    const width = this.#kvCache.model.vocabularySize;
    try {
      const logits = await this.#passActivations.layers.lens(rows);
      return new Map(
        this.#lensLayers.map((layer, row) => [
          layer,
          topKOf(logits.subarray(row * width, (row + 1) * width), mostLensTokens),
        ]),
      );
    } catch (error) {
      throw activationsError(this.#kvCache, error);
    }
  }
}
