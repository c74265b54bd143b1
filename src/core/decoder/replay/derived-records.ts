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
 * Whether an action changes the output, or ends the request. If several mods reply to one event with such an action, the first
 * one wins. A request may have only a limited number of changes that do not end it.
 */
const outputEffects: Readonly<Record<TraceAction["type"], "changes" | "ends" | null>> = {
  noop: null,
  adjustPrefill: null,
  adjustLogits: null,
  forceTokens: "changes",
  backtrack: "changes",
  forceOutput: "ends",
  toolCalls: "ends",
  error: "ends",
  steer: null,
  patch: null,
};

/** Whether the mod's action changes the output or ends the request. */
export function changesOutput({ action, fault }: ModCallRecord): boolean {
  return fault === null && outputEffects[action.type] !== null;
}

/** Whether the mod's action was applied and counts for the limit of changes. */
export function isCountedChange({ action, superseded, fault }: ModCallRecord): boolean {
  return !superseded && fault === null && outputEffects[action.type] === "changes";
}
