/** Which mods steered the model at a token. Types only; `steering.ts` finds them. */
import type { TraceSteering, TraceVector } from "../format/format-values.ts";

/** The steering of one mod. */
export interface ModSteering {
  /** Index into the request's mods. */
  readonly mod: number;
  /** The vectors of the mod's reply. There may be many, so no joint list for all mods is made. */
  readonly vectors: readonly TraceSteering[];
}

/** A vector with which a mod replaced a layer's output. */
export interface ModActivationPatch {
  readonly mod: number;
  readonly layer: number;
  readonly vector: TraceVector;
}

/** The steering of a token: the same object as long as the steering is the same. */
export interface TokenSteering {
  /**
   * The mods that steer, in the order in which they first steered. Their vectors are added in this order: sums of float32 numbers
   * depend on it.
   */
  readonly mods: readonly ModSteering[];
  /** Patches are applied after the vectors: at most one patch per layer, the lowest layer first. */
  readonly patches: readonly ModActivationPatch[];
}
