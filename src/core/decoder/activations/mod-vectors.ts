/** The vectors by which all mods of a request steer and patch. */
import type { PatchAction, Steering } from "../../sdk/action.ts";
import type { SteeringVectors } from "../ports/model-layers.ts";

/** A hidden state that replaces the model's own. */
export type Patch = Pick<PatchAction, "layer" | "vector">;

export class ModVectors {
  readonly #byMod = new Map<number, readonly Steering[]>();
  #patches: Patch[] = [];
  /** Null until `sum` is read. */
  #sum: SteeringVectors | null = null;

  /** The sum of all vectors, which the caller must not change. @throws RangeError if the sum is not finite: a vector that kept it finite may be gone. */
  get sum(): SteeringVectors {
    this.#sum ??= sumByLayer([...this.#byMod.values()].flat());
    return this.#sum;
  }

  /** Replaces the vectors by which a mod steers. @throws RangeError if the sum is not finite; then the old vectors stay. */
  set(mod: number, vectors: readonly Steering[]): void {
    this.#sum = sumByLayer([...new Map(this.#byMod).set(mod, vectors).values()].flat());
    this.#byMod.set(mod, vectors);
  }

  /** Removes the vectors of a mod that stopped steering. */
  drop(mod: number): void {
    this.#byMod.delete(mod);
    this.#sum = null;
  }

  /** The mods that steer, with their vectors. */
  get entries(): (readonly [mod: number, vectors: readonly Steering[]])[] {
    return [...this.#byMod].filter(([, vectors]) => vectors.length > 0);
  }

  /** If a layer is patched several times, the last patch counts. */
  patch(patch: Patch): void {
    this.#patches = [...this.#patches.filter(({ layer }) => layer !== patch.layer), patch];
  }

  /** Returns the patches for the next pass, lowest layer first, and forgets them. */
  takePatches(): readonly Patch[] {
    const taken = this.#patches.toSorted((a, b) => a.layer - b.layer);
    this.#patches = [];
    return taken;
  }
}

/** The sum of all vectors of a layer, each times its scale, by layer. @throws RangeError if a sum is not finite. */
export function sumByLayer(all: readonly Steering[]): SteeringVectors {
  const sum = new Map<number, Float32Array>();
  for (const { layer, vector, scale } of all) {
    const added = sum.get(layer) ?? new Float32Array(vector.length);
    for (let i = 0; i < added.length; i++) added[i] = (added[i] as number) + scale * (vector[i] as number);
    sum.set(layer, added);
  }
  for (const [layer, vector] of sum) {
    const at = vector.findIndex((number) => !Number.isFinite(number));
    if (at >= 0)
      throw new RangeError(
        `the vectors for layer ${layer}, scaled and added up, contain ${vector[at]} at index ${at}: use smaller vectors or smaller scales.`,
      );
  }
  return sum;
}
