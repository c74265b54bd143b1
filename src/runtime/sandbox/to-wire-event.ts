/** Encodes the loop's events for a guest. A message contains only those parts of logits and output that the mod reads. */

import { topKOf } from "../../core/decoder/logits/top-k.ts";
import {
  type LoopEvent,
  mostLensTokens,
  requireAllLogits,
  type StepActivations,
} from "../../core/decoder/ports/mod-host.ts";
import type { UnsentOutputChanges } from "../../core/decoder/ports/output-changes.ts";
import { type ActivationNeeds, includesLayer, type LayerList } from "../../core/sdk/activation-needs.ts";
import type { ModNeeds } from "../../core/sdk/mod.ts";
import type { LayerSizes, WireActivations, WireEvent, WireTop } from "../../core/sdk/wire-event.ts";

/** The parts of events that one mod reads. */
export interface ModEventNeeds {
  readonly needs: ModNeeds;
  /** The output that the mod has received so far; null if it does not read the output. */
  readonly output: UnsentOutputChanges | null;
}

/** The message for an event, and the arrays that the message moves instead of copying. */
export function toWireEvent(
  event: LoopEvent,
  { needs, output }: ModEventNeeds,
): { readonly wire: WireEvent; readonly transfer: Transferable[] } {
  if (event.type === "finished") return { wire: event, transfer: [] };
  if (event.type === "prefilled") {
    const { sizes, ...fields } = event;
    return { wire: { ...fields, ...sizesFor(needs, sizes) }, transfer: [] };
  }
  const { emitted, ...fields } = event;
  const change = output && { output: output.next(emitted) };
  if (fields.type !== "forwardPass") return { wire: { ...fields, ...change }, transfer: [] };
  // Functions stay here, because they cannot cross to the sandbox.
  const { logits: _, top: topOfRow, canSample: __, sizes, activations: stepActivations, ...about } = fields;
  const logits = needs.logits ? requireAllLogits(fields).slice() : null;
  const top = topOfRow?.(needs.topK) ?? topKOf(requireAllLogits(fields), needs.topK);
  const activations =
    stepActivations && needs.activations ? toWireActivations(stepActivations, needs.activations) : null;
  return {
    wire: {
      ...about,
      top,
      ...sizesFor(needs, sizes),
      ...(logits && { logits }),
      ...(activations && { activations }),
      ...change,
    },
    transfer: [...(logits ? [logits.buffer] : []), ...(activations ? [activations.hiddenStates.buffer] : [])],
  };
}

/** The sizes for an event about layers; only mods that declare layers get them. */
function sizesFor({ activations }: ModNeeds, sizes: LayerSizes | undefined): { readonly sizes?: LayerSizes } {
  return activations && sizes ? { sizes } : {};
}

/**
 * Copies of the activations that one mod declared, taken from those that a pass saved for all mods. Null if the mod declared
 * none.
 */
export function toWireActivations(
  { hiddenStates, lens }: StepActivations,
  needs: ActivationNeeds,
): (WireActivations & { readonly hiddenStates: Float32Array<ArrayBuffer> }) | null {
  const states = needs.hiddenStates ? declared(hiddenStates, needs.layers) : [];
  const says = declared(lens, needs.lens);
  if (states.length === 0 && says.length === 0) return null;
  const size = states[0]?.[1].length ?? 0;
  const rows = new Float32Array(states.length * size);
  for (const [place, [, row]] of states.entries()) rows.set(row, place * size);
  return {
    hiddenLayers: states.map(([layer]) => layer),
    hiddenStates: rows,
    lensLayers: says.map(([layer]) => layer),
    lens: says.map(([, top]) => first(top)),
  };
}

/** In ascending order, without layers that the model does not have. */
function declared<Value>(by: ReadonlyMap<number, Value>, layers: LayerList): [number, Value][] {
  return [...by].filter(([layer]) => includesLayer(layers, layer)).sort(([a], [b]) => a - b);
}

function first({ tokens, logprobs }: WireTop): WireTop {
  return { tokens: tokens.slice(0, mostLensTokens), logprobs: logprobs.slice(0, mostLensTokens) };
}
