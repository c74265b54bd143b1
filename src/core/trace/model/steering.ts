/**
 * Finds the steering under which the model computed each token of the text, by reading record after record. A computed token
 * keeps its steering until a backtrack removes it; a token that is computed again has the steering of that time.
 */
import type { ForwardPassRecord, ModCallRecord, TraceRecord, TraceSteering } from "../format/format.ts";
import type { ModActivationPatch, TokenSteering } from "./steered.ts";

/** Consecutive tokens of the text that were computed under the same steering. */
export interface SteeredPlaceRange {
  /** Places in the text (prompt, then output): from `from` up to, but not including, `to`. */
  readonly from: number;
  readonly to: number;
  readonly by: TokenSteering;
}

export interface SteeringFollower {
  /** The steered or patched places, in ascending order. */
  readonly places: readonly SteeredPlaceRange[];
  /** The steering of the last forward pass, which the next drawn token gets; null if nothing steered that pass. */
  readonly drawnUnder: TokenSteering | null;
  take(record: TraceRecord): void;
}

const noPatches: readonly ModActivationPatch[] = [];

/** Removes the places from `length` on. */
function cutPlaces(places: SteeredPlaceRange[], length: number): void {
  while ((places.at(-1)?.from ?? -1) >= length) places.pop();
  const last = places.at(-1);
  if (last && last.to > length) places[places.length - 1] = { ...last, to: length };
}

/** Adds places at the end. Neighbours under the same steering become one entry. */
function addPlaces(places: SteeredPlaceRange[], from: number, to: number, by: TokenSteering): void {
  const last = places.at(-1);
  if (last?.to === from && last.by === by) places[places.length - 1] = { ...last, to };
  else if (to > from) places.push({ from, to, by });
}

export function createSteeringFollower(): SteeringFollower {
  const byMod = new Map<number, readonly TraceSteering[]>();
  /** The patches of the next pass that computes a token, by layer. */
  const patches = new Map<number, ModActivationPatch>();
  const places: SteeredPlaceRange[] = [];
  /** Number of the first record of the request itself; earlier records were copied from the parent request. */
  let ownFrom = 0;
  let taken = 0;
  let present: TokenSteering | null = null;
  /** Number of tokens that were computed, counted from the first. */
  let computed = 0;
  let promptLength = 0;

  const steer = (mod: number, vectors: readonly TraceSteering[]) => {
    const steered = byMod.get(mod) ?? [];
    // A mod that stopped steering keeps its place among the others.
    byMod.set(mod, vectors);
    if (steered.length + vectors.length === 0) return;
    const mods = [...byMod].filter(([, own]) => own.length > 0).map(([mod, own]) => ({ mod, vectors: own }));
    present = mods.length > 0 ? { mods, patches: noPatches } : null;
  };
  /**
   * Applies the patches to the last token of a pass, in addition to the patches that the token has from an earlier computation.
   */
  const patch = (place: number) => {
    const last = places.at(-1);
    const known = last && last.to > place ? last.by : null;
    const all = new Map([...(known?.patches ?? []), ...patches.values()].map((each) => [each.layer, each]));
    cutPlaces(places, place);
    const inOrder = [...all.values()].sort((one, other) => one.layer - other.layer);
    addPlaces(places, place, place + 1, { mods: known?.mods ?? [], patches: inOrder });
    patches.clear();
  };
  const takeCall = ({ action, fault, mod }: ModCallRecord) => {
    if (fault !== null) steer(mod, []);
    else if (action.type === "steer") steer(mod, action.vectors);
    // If a layer is patched several times, the last patch counts.
    else if (action.type === "patch")
      patches.set(action.layer, { mod, layer: action.layer, vector: action.vector });
  };
  const takePass = ({ step, contextLength, before }: ForwardPassRecord) => {
    // A pass in the middle of a prompt leaves no probabilities, and the patches wait for the prompt's last token.
    if (before !== null) promptLength = Math.max(0, contextLength - step);
    // A branch computes copied tokens again, because the KV cache lost them. Copied tokens keep the steering of the parent
    // request.
    else if (contextLength <= computed) return;
    const from = Math.min(computed, contextLength);
    cutPlaces(places, contextLength);
    computed = contextLength;
    if (present) addPlaces(places, from, contextLength, present);
    if (before !== null && patches.size > 0) patch(contextLength - 1);
    const last = places.at(-1);
    follower.drawnUnder = last?.to === contextLength ? last.by : null;
  };

  const follower = {
    places,
    drawnUnder: null as TokenSteering | null,
    take(record: TraceRecord) {
      // Mods that took part only in the parent request stop steering here, and the other mods set their steering again in their
      // `prefilled` calls. Pending patches are dropped.
      if (ownFrom > 0 && taken === ownFrom) {
        byMod.clear();
        present = null;
        patches.clear();
      }
      taken += 1;
      if (record.type === "request") ownFrom = record.branch?.caughtUp ?? 0;
      else if (record.type === "modCall") takeCall(record);
      else if (record.type === "forwardPass") takePass(record);
      else if (record.type === "backtracked") {
        computed = Math.min(computed, promptLength + record.step);
        cutPlaces(places, computed);
      }
    },
  };
  return follower;
}
