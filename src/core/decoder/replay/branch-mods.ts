/** Finds which mods of a recorded request continue in a branch, and which took part only before the branch. */
import { isRequestFormatMod } from "../../sdk/built-in.ts";
import type { TraceMod } from "../../trace/format/format-request.ts";
import { traceLimits } from "../../trace/format/limits.ts";
import { ownMods } from "../../trace/format/request-mods.ts";
import type { ModHost } from "../ports/mod-host.ts";
import type { ModSource } from "../ports/request.ts";
import type { BranchPoint } from "./branch-point.ts";

export interface BranchMods {
  /** For each mod of the branch, the recorded mods that it replaces. Empty for a new mod. */
  readonly before: readonly ReadonlySet<number>[];
  /** Mods that took part only before the branch; they come last in the branch's list of mods. */
  readonly parentMods: readonly TraceMod[];
  /** The place that a recorded mod has in the branch's list of mods. */
  placeOf(mod: number): number;
}

/** @throws RangeError if the list would have more mods than a trace may have. */
export function branchModsOf(
  point: BranchPoint,
  hosts: readonly Pick<ModHost, "name">[],
  sources: readonly ModSource[],
): BranchMods {
  const [request] = point.records;
  const recorded = request?.type === "request" ? request.mods : [];
  const own = request?.type === "request" ? ownMods(request).length : 0;
  const places = new Map<number, number>();
  const before = hosts.map((_, place) => {
    const follows = followedBy(place, point, recorded.slice(0, own), sources);
    const old = follows === null ? undefined : recorded[follows];
    if (follows === null || !old) return new Set<number>();
    if (!point.follows || isSame(old, sources[place])) places.set(follows, place);
    const earlier = recorded.flatMap(({ name }, mod) => (mod >= own && name === old.name ? [mod] : []));
    return new Set([follows, ...earlier]);
  });
  const parentMods: TraceMod[] = [];
  const parentPlaces = new Map<string, number>();
  for (const mod of modsIn(point)) {
    const it = recorded[mod];
    if (places.has(mod) || !it) continue;
    const key = JSON.stringify([it.name, it.source, it.entry]);
    const known = parentPlaces.get(key) ?? hosts.length + parentMods.length;
    if (!parentPlaces.has(key)) parentMods.push(it);
    parentPlaces.set(key, known);
    places.set(mod, known);
  }
  if (hosts.length + parentMods.length > traceLimits.mods) {
    throw new RangeError(
      `The branch would have ${hosts.length + parentMods.length} mods, because it also uses the mods of earlier runs; the limit is ${traceLimits.mods}. Continue from an earlier run.`,
    );
  }
  return { before, parentMods, placeOf: (mod) => places.get(mod) ?? mod };
}

/** The place of the recorded mod that this mod replaces; null for a new mod. */
function followedBy(
  place: number,
  { follows }: BranchPoint,
  recorded: readonly TraceMod[],
  sources: readonly ModSource[],
): number | null {
  if (!follows) return place < recorded.length ? place : null;
  if (place < follows.length) return follows[place] ?? null;
  // The built-in mod for the answer's format comes with the request, after the user's mods.
  const builtIn = recorded.findIndex(isRequestFormatMod);
  return builtIn >= 0 && isRequestFormatMod(sources[place] ?? { source: "" }) ? builtIn : null;
}

function isSame(one: ModSource, other: ModSource | undefined): boolean {
  return one.source === other?.source && one.entry === other.entry;
}

/** The recorded mods that acted in the steps that the branch takes over, each once. */
function modsIn({ records, at, kept = 0 }: BranchPoint): ReadonlySet<number> {
  const mods = new Set<number>();
  for (const record of records.slice(0, at + (kept > 0 ? 1 : 0))) {
    if ("mod" in record && record.mod !== null) mods.add(record.mod);
  }
  return mods;
}
