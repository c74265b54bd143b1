/**
 * What steered the model when it computed each token of the text, followed record by record. A place that was computed stays as it
 * was until a backtrack removes it: what is computed anew follows what steers then.
 */
import type { ForwardPassRecord, ModCallRecord, TraceRecord, TraceSteering, TraceVector } from "./format.ts";
import type { RequestRecord } from "./format-request.ts";

/** What one mod steers by. */
export interface ModSteering {
  /** Index into the request's mods. */
  readonly mod: number;
  /** As the mod answered: there may be many, so no list of those of all mods is made. */
  readonly vectors: readonly TraceSteering[];
}

/** A state that a mod put in the place of another. */
export interface ModPatch {
  readonly mod: number;
  readonly layer: number;
  readonly vector: TraceVector;
}

/** What a token was computed under: the same object as long as it is the same. */
export interface Steered {
  /**
   * The mods that steer. Their vectors add up, in this order, in which the mods first said something of it: sums of float32 numbers
   * depend on it.
   */
  readonly mods: readonly ModSteering[];
  /** After the vectors: at most one of a layer, the lowest layer first. */
  readonly patches: readonly ModPatch[];
}

/** Tokens of the text that were computed under the same. */
export interface SteeredPlaces {
  /** Places in prompt and output together: from `from` up to, and without, `to`. */
  readonly from: number;
  readonly to: number;
  readonly by: Steered;
}

export interface SteeringFollower {
  /** Ascending, only what was steered or patched. */
  readonly places: readonly SteeredPlaces[];
  /** What the token is drawn under whose odds the last forward pass left; null where nothing steered that pass. */
  readonly drawnUnder: Steered | null;
  take(record: TraceRecord): void;
}

export function followSteering(): SteeringFollower {
  return new Follower();
}

const noPatches: readonly ModPatch[] = [];
const noVectors: readonly TraceSteering[] = [];

class Follower implements SteeringFollower {
  readonly #byMod = new Map<number, readonly TraceSteering[]>();
  #request: RequestRecord | null = null;
  #taken = 0;
  #present: Steered | null = null;
  /** By layer, for the next pass that computes something. */
  readonly #patches = new Map<number, ModPatch>();
  #places: SteeredPlaces[] = [];
  /** Tokens that were computed, from the first one on. */
  #length = 0;
  #promptLength = 0;
  #drawnUnder: Steered | null = null;

  get places(): readonly SteeredPlaces[] {
    return this.#places;
  }

  get drawnUnder(): Steered | null {
    return this.#drawnUnder;
  }

  take(record: TraceRecord): void {
    const { branch = null } = this.#request ?? {};
    if (branch !== null && branch.told > 0 && this.#taken === branch.told) this.#endPast();
    this.#taken += 1;
    switch (record.type) {
      case "request":
        this.#request = record;
        return;
      case "modCall":
        this.#takeCall(record);
        return;
      case "forwardPass":
        this.#takePass(record);
        return;
      case "backtracked":
        this.#cut(this.#promptLength + record.step);
    }
  }

  /** Mods that took part only before the run branched off steer no more, and the others say again what they steer (`prefilled` calls). Patches for a pass that was theirs are gone. */
  #endPast(): void {
    this.#byMod.clear();
    this.#present = null;
    this.#patches.clear();
  }

  #takeCall({ action, fault, mod }: ModCallRecord): void {
    if (fault !== null) this.#steer(mod, noVectors);
    else if (action.type === "steer") this.#steer(mod, action.vectors);
    else if (action.type === "patch") {
      const { layer, vector } = action;
      // Of several for one layer the last one holds.
      this.#patches.set(layer, { mod, layer, vector });
    }
  }

  #steer(mod: number, vectors: readonly TraceSteering[]): void {
    const before = this.#byMod.get(mod) ?? noVectors;
    // A mod that steers no more keeps its place among the others.
    this.#byMod.set(mod, vectors);
    if (before.length === 0 && vectors.length === 0) return;
    const mods = [...this.#byMod]
      .filter(([, own]) => own.length > 0)
      .map(([mod, own]) => ({ mod, vectors: own }));
    this.#present = mods.length > 0 ? { mods, patches: noPatches } : null;
  }

  #takePass({ step, contextLength, before }: ForwardPassRecord): void {
    // A pass in the middle of a prompt leaves no odds, and the patches wait for the prompt's last token.
    const hasOdds = before !== null;
    if (hasOdds) this.#promptLength = Math.max(0, contextLength - step);
    // A branch reads again, under what steered it then, what the KV cache no longer holds: nothing is computed anew by that.
    else if (contextLength <= this.#length) return;
    const from = Math.min(this.#length, contextLength);
    this.#cut(contextLength);
    this.#length = contextLength;
    if (this.#present) this.#add(from, contextLength, this.#present);
    if (hasOdds && this.#patches.size > 0) this.#patch(contextLength - 1);
    const last = this.#places.at(-1);
    this.#drawnUnder = last?.to === contextLength ? last.by : null;
  }

  /** The pass computes its last token with the patches, beside those that it has: also where it was computed before. */
  #patch(place: number): void {
    const last = this.#places.at(-1);
    const known = last && last.to > place ? last.by : null;
    const patches = new Map(
      [...(known?.patches ?? []), ...this.#patches.values()].map((patch) => [patch.layer, patch]),
    );
    this.#cutPlaces(place);
    const inOrder = [...patches.values()].sort((one, other) => one.layer - other.layer);
    this.#add(place, place + 1, { mods: known?.mods ?? [], patches: inOrder });
    this.#patches.clear();
  }

  #add(from: number, to: number, by: Steered): void {
    if (to <= from) return;
    const last = this.#places.at(-1);
    if (last?.to === from && last.by === by) this.#places[this.#places.length - 1] = { ...last, to };
    else this.#places.push({ from, to, by });
  }

  #cut(length: number): void {
    this.#length = Math.min(this.#length, length);
    this.#cutPlaces(length);
  }

  #cutPlaces(length: number): void {
    while ((this.#places.at(-1)?.from ?? -1) >= length) this.#places.pop();
    const last = this.#places.at(-1);
    if (last && last.to > length) this.#places[this.#places.length - 1] = { ...last, to: length };
  }
}
