/** The loop's events on their way to a guest: live logits and the live output become what the mod reads of them. */
import { allLogits, type LoopEvent } from "../decoder/mod-host.ts";
import type { OutputChanges } from "../decoder/output-changes.ts";
import { topOf } from "../decoder/top-tokens.ts";
import type { ModNeeds } from "../sdk/mod.ts";
import type { WireEvent } from "../sdk/wire-event.ts";

/** What one mod reads. */
export interface EventReader {
  readonly needs: ModNeeds;
  /** What it was told of the output; null where it reads nothing of it. */
  readonly output: OutputChanges | null;
}

/** The event, and what of it need not be copied on the way. */
export function toWireEvent(
  event: LoopEvent,
  { needs, output }: EventReader,
): { readonly wire: WireEvent; readonly transfer: Transferable[] } {
  if (event.type === "prefilled" || event.type === "finished") return { wire: event, transfer: [] };
  const { emitted, ...facts } = event;
  const change = output && { output: output.next(emitted) };
  if (facts.type !== "forwardPass") return { wire: { ...facts, ...change }, transfer: [] };
  // What can be asked of the row stays here: functions do not cross.
  const { logits: _, top: topOfRow, canSample: __, ...about } = facts;
  const logits = needs.logits ? allLogits(facts).slice() : null;
  const top = topOfRow?.(needs.topK) ?? topOf(allLogits(facts), needs.topK);
  return {
    wire: { ...about, top, ...(logits && { logits }), ...change },
    transfer: logits ? [logits.buffer] : [],
  };
}
