/** How much of a step's logits the mods read. This decides how many tokens the trace records, and whether the logits may stay on the GPU. */
import { traceLimits } from "../../trace/format/limits.ts";
import type { ModHost } from "./mod-host.ts";

/** How many of the most likely tokens a mod reads, at most as many as a trace records for a step; 0 for a mod that reads all logits, which no trace records. */
export function topKReadBy({ needs, handles }: ModHost): number {
  if (needs.logits || !handles.has("forwardPass")) return 0;
  return Math.min(needs.topK, traceLimits.topK);
}

/** The most that any of the mods reads. */
export function topKRead(mods: readonly ModHost[]): number {
  return Math.max(0, ...mods.map(topKReadBy));
}

/** How many of the most likely tokens mods read of a step, at most. */
export function mostTopK(mods: readonly ModHost[]): number {
  return Math.max(0, ...mods.map(({ needs, handles }) => (handles.has("forwardPass") ? needs.topK : 0)));
}

/** Logits that stay on the GPU list at least this many of their most likely tokens. */
export const mostListedRead = 256;

/** Whether a mod reads more of the logits than is listed of logits that stay on the GPU. */
export function readsAllLogits(mods: readonly ModHost[]): boolean {
  return mods.some(
    ({ needs, handles }) => handles.has("forwardPass") && (needs.logits || needs.topK > mostListedRead),
  );
}
