/** Vectors for `steer` and `patch` actions in built traces. */
import type { TraceAction, TraceVector } from "../format/format.ts";

/** A vector with its numbers, as at its first use in a trace. */
export function vectorWith(digest: number, numbers: readonly number[]): TraceVector {
  const rounded = numbers.map(Math.fround);
  return { digest, norm: Math.hypot(...rounded), numbers: rounded };
}

/** The same vector without numbers, as at later places. */
export function vectorAgain({ digest, norm }: TraceVector): TraceVector {
  return { digest, norm, numbers: null };
}

export const steerBy = (layer: number, vector: TraceVector, scale = 1): TraceAction => ({
  type: "steer",
  vectors: [{ layer, scale, vector }],
});

export const steerNoMore: TraceAction = { type: "steer", vectors: [] };

export const patchWith = (layer: number, vector: TraceVector): TraceAction => ({
  type: "patch",
  layer,
  vector,
});
