/** Restores the steering that was in effect at each past event (catch-up.ts), and the steering from the branch point on. */
import type { TraceRecord, TraceVector } from "../../trace/format/format.ts";
import type { DecodeState } from "../loop/decode-state.ts";
import { steeringsForTrace } from "../loop/recorded-vectors.ts";
import { ReplayError } from "./replay.ts";

/** Sets the steering that was in effect at this record. @throws ReplayError if the record lacks the vector. */
export function restoreSteering({ activations, vectors }: DecodeState, record: TraceRecord): void {
  if (!activations || record.type !== "modCall") return;
  const { mod, action, fault, step } = record;
  const numbers = (layer: number, vector: TraceVector): Float32Array => {
    const known = vectors.taken(vector);
    if (known) return known;
    throw new ReplayError(
      `The vector that went into layer ${layer} at step ${step} was not saved with the run: links leave vectors out. Run the prompt again, or continue from the run that made the vector.`,
    );
  };
  if (fault) activations.past.drop(mod);
  else if (action.type === "steer")
    activations.past.set(
      mod,
      action.vectors.map(({ layer, scale, vector }) => ({ layer, scale, vector: numbers(layer, vector) })),
    );
  else if (action.type === "patch")
    activations.past.patch({ layer: action.layer, vector: numbers(action.layer, action.vector) });
}

/**
 * Records the steering from the branch point on, before its first pass. The mods set it in replies to past events,
 * which are not recorded. It is written as replies to `prefilled`, the first event that the mods received.
 */
export function recordRestoredSteering({ activations, recorder, output, vectors }: DecodeState): void {
  for (const [mod, steering] of activations?.takeRestored() ?? [])
    recorder.modCall({
      mod,
      event: "prefilled",
      step: output.length,
      durationMs: 0,
      given: null,
      scores: [],
      action: { type: "steer", vectors: steeringsForTrace(steering, (vector) => vectors.of(vector)) },
      reply: { action: { type: "noop" }, fault: null, console: [] },
      superseded: false,
      fault: null,
    });
}
