/** How much of a step's logits the mods read. This decides how many tokens the trace records, and whether the logits may stay on the GPU. */
import { traceLimits } from "../../trace/format/limits.ts";
import type { ModHost } from "./mod-host.ts";

/**
 * How many of the most likely tokens a mod reads, limited to the number that a trace records for a step; 0 for a mod that
 * reads all logits, which no trace records.
 */
export function recordableTopKOf({ needs, handles }: ModHost): number {
  if (needs.logits || !handles.has("forwardPass")) return 0;
  return Math.min(needs.topK, traceLimits.topK);
}

/** The largest `recordableTopKOf` of the mods. */
export function largestRecordableTopK(mods: readonly ModHost[]): number {
  return Math.max(0, ...mods.map(recordableTopKOf));
}

/** The largest number of most likely tokens that any mod reads of a step. */
export function largestNeededTopK(mods: readonly ModHost[]): number {
  return Math.max(0, ...mods.map(({ needs, handles }) => (handles.has("forwardPass") ? needs.topK : 0)));
}

/** Logits that stay on the GPU list at least this many of their most likely tokens. */
export const guaranteedGpuTopTokens = 256;

/** Whether a mod reads more of the logits than the summary of logits on the GPU lists. */
export function readsAllLogits(mods: readonly ModHost[]): boolean {
  return mods.some(
    ({ needs, handles }) =>
      handles.has("forwardPass") && (needs.logits || needs.topK > guaranteedGpuTopTokens),
  );
}
