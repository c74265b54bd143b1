/**
 * The logits of a step as mods get them, and the part that the trace stores, so that a replay can ask the mods again without
 * a model.
 */
import type { LayerSizes, WireTop } from "../../sdk/wire-event.ts";
import type { TraceTopK } from "../../trace/format/format.ts";
import type { EditableLogits } from "../ports/logits.ts";
import type { ModHost, StepActivations } from "../ports/mod-host.ts";
import { recordableTopKOf } from "../ports/mod-needs.ts";
import type { DecodeState } from "./decode-state.ts";
import type { StepLogits } from "./logits-of-step.ts";

/** The `count` most likely tokens for mod number `mod`: after the edits of the mods before it, or as they were recorded. */
export function topKSeenBy({ recorded, editableLogits }: StepLogits, mod: number, count: number): WireTop {
  return recorded ? recorded.top(mod, count) : editableLogits.topK(count);
}

/** The activations that the event of a step carries. */
export function activationsForMods(
  { activations }: DecodeState,
  { activations: read }: Pick<StepLogits, "activations">,
): { readonly sizes?: LayerSizes; readonly activations?: StepActivations } {
  return { ...(activations && { sizes: activations.sizes }), ...(read && { activations: read }) };
}

/**
 * The top tokens that the record of a pass must contain because mods read them before any edit; null if the recorded
 * distribution has enough.
 */
export function topKForPassRecord(
  { logits: { topKRead: count } }: DecodeState,
  editableLogits: EditableLogits,
): TraceTopK | null {
  return count <= editableLogits.distribution.top.length ? null : kept(count, editableLogits.topK(count));
}

/**
 * The top tokens that the record of a mod's call must contain; null if no earlier mod changed the top tokens in the record
 * of the pass.
 */
export function topKToRecord(stepLogits: StepLogits, host: ModHost, mod: number): TraceTopK | null {
  const count = recordableTopKOf(host);
  if (stepLogits.recorded || !stepLogits.editableLogits.isEdited || count === 0) return null;
  return kept(count, topKSeenBy(stepLogits, mod, count));
}

function kept(asked: number, { tokens, logprobs }: WireTop): TraceTopK {
  return { asked, tokens: Array.from(tokens), logprobs: Array.from(logprobs) };
}
