/** Steps in their simplest form. */
import { areDisjoint, intersect, invert, isEmptySet } from "./byte-set.ts";
import type { Expression } from "./expression-node.ts";
import type { Step } from "./partition.ts";

/**
 * Where a byte leads to any text whatever, its other steps say nothing new: without them, an intersection of patterns that are
 * searched for goes on in one way, not in one for each set of them.
 */
export function absorb(steps: readonly Step[], anything: Expression): readonly Step[] {
  const all = steps.length > 1 ? steps.find(({ next }) => next === anything) : undefined;
  if (all === undefined) return steps;
  const others = invert(all.set);
  return steps
    .map((step) => (step === all ? step : { set: intersect(step.set, others), next: step.next }))
    .filter(({ set }) => !isEmptySet(set));
}

/** True when no byte is in two of the sets. */
export function areApart(steps: readonly Step[]): boolean {
  const taken = new Uint32Array(8);
  for (const { set } of steps) {
    if (!areDisjoint(taken, set)) return false;
    for (let word = 0; word < 8; word++) (taken[word] as number) |= set[word] as number;
  }
  return true;
}
