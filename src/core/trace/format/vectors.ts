/** Finds the vectors of `steer` and `patch` actions. */
import type { TraceAction } from "./format-action.ts";
import type { TraceVector } from "./format-values.ts";

const noVectors: readonly TraceVector[] = [];

/** The vectors of a mod's action, in order. */
export function vectorsOf(action: TraceAction): readonly TraceVector[] {
  if (action.type === "patch") return [action.vector];
  return action.type === "steer" ? action.vectors.map(({ vector }) => vector) : noVectors;
}
