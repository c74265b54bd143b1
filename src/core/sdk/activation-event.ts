/** The activations that a handler reads from an event: sizes, hidden states, and the predictions of layers. */

import { type LayerList, maximumLensTokens } from "./activation-needs.ts";
import type { ForwardPassEvent, ModEvent, TokenLogprob } from "./event.ts";
import type { ModNeeds } from "./mod.ts";
import { whyNotLayer } from "./why-not-layer.ts";
import type { LayerSizes, WireActivations, WireTop } from "./wire-event.ts";

type Sizes = Pick<ForwardPassEvent, "layerCount" | "hiddenSize">;

/** Adds the model's sizes as properties that are not enumerable, so that logging or copying an event does not read them. */
export function withSizes<Fields extends { readonly type: ModEvent["type"] }>(
  fields: Fields,
  sizes: LayerSizes | undefined,
  needs: ModNeeds,
): Fields & Sizes {
  const property = (name: keyof LayerSizes): PropertyDescriptor => ({
    get: () => sizes?.[name] ?? notSent(`event.${name}`, needs),
  });
  return Object.defineProperties(fields, {
    layerCount: property("layerCount"),
    hiddenSize: property("hiddenSize"),
  }) as Fields & Sizes;
}

function notSent(what: string, { activations }: ModNeeds): never {
  throw new Error(
    activations === undefined
      ? `${what} was not sent: declare the layers that the mod works with, for example mod({ layers: [12], … }).`
      : `${what} was not sent: this event came without the model's layers.`,
  );
}

/** `event.hiddenState` and `event.lens`. */
export function createActivationReaders(
  activations: WireActivations | undefined,
  sizes: LayerSizes | undefined,
  needs: ModNeeds,
): Pick<ForwardPassEvent, "hiddenState" | "lens"> {
  /** The layer's place among those that were sent. */
  function placeOf(
    call: string,
    layer: number,
    option: "layers" | "lens",
    sent: readonly number[] = [],
  ): number {
    const declared: LayerList = needs.activations?.[option] ?? [];
    const layerCount = sizes?.layerCount ?? null;
    const reason = whyNotLayer(layer, { option, declared, layerCount });
    if (reason !== null) throw new RangeError(`${call}: ${reason}`);
    const place = sent.indexOf(layer);
    return place >= 0 ? place : notSent(call, needs);
  }

  return {
    hiddenState(layer) {
      const call = `hiddenState(${String(layer)})`;
      if (needs.activations?.layers.length && !needs.activations.hiddenStates) {
        throw new Error(
          `${call} was not sent: Midtoken sends it only to mods whose source contains the name \`hiddenState\`. Write this name in the source.`,
        );
      }
      const place = placeOf(call, layer, "layers", activations?.hiddenLayers);
      const { hiddenLayers, hiddenStates } = activations as WireActivations;
      const size = hiddenStates.length / hiddenLayers.length;
      return hiddenStates.slice(place * size, (place + 1) * size);
    },
    lens(layer, k) {
      const call = `lens(${String(layer)}, ${String(k)})`;
      if (!Number.isInteger(k) || k < 0 || k > maximumLensTokens) {
        throw new RangeError(`${call}: give a whole number of tokens, from 0 to ${maximumLensTokens}.`);
      }
      const place = placeOf(call, layer, "lens", activations?.lensLayers);
      const top = activations?.lens[place] as WireTop;
      return takeTopTokens(top, Math.min(k, top.tokens.length));
    },
  };
}

/** The first `count` tokens of a top-k list, as objects. */
export function takeTopTokens(top: WireTop, count: number): readonly TokenLogprob[] {
  return Object.freeze(
    Array.from({ length: count }, (_, index) =>
      Object.freeze({ token: top.tokens[index] as number, logprob: top.logprobs[index] as number }),
    ),
  );
}
