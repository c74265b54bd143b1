/** Which records a replay copies, and which actions of mods change the output. */
import type { ModCallRecord, TraceRecord } from "../../trace/format/format.ts";
import type { TraceAction } from "../../trace/format/format-action.ts";

/** Records that follow from other records: a replay copies them instead of producing them again. */
const derived: ReadonlySet<TraceRecord["type"]> = new Set(["adjusted", "scored"]);

/** Whether a replay copies the record. Passes without recorded probabilities are copied too. */
export function isDerived(record: TraceRecord): boolean {
  return derived.has(record.type) || (record.type === "forwardPass" && record.before === null);
}

/**
 * The actions that change the output or end the request. If several mods reply to one event with such an action, the first
 * one wins.
 */
const changingActions: Readonly<Record<TraceAction["type"], boolean>> = {
  noop: false,
  adjustPrefill: false,
  adjustLogits: false,
  forceTokens: true,
  backtrack: true,
  forceOutput: true,
  toolCalls: true,
  error: true,
  steer: false,
  patch: false,
};

/** Whether the mod's action changes the output or ends the request. */
export function changesOutput({ action, fault }: ModCallRecord): boolean {
  return fault === null && changingActions[action.type];
}
