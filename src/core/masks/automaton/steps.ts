/** Steps in their simplest form. */
import { areDisjoint, intersect, invert, isEmptySet } from "./byte-set.ts";
import type { Expression } from "./expression-node.ts";
import type { DerivativeStep } from "./partition.ts";

/**
 * Drops steps that say nothing new: where a byte leads to `anything`, its other steps lead to a part of that. Without them an
 * intersection of several patterns that are searched for has one state once all are found, not one for each set of patterns.
 */
export function dropImpliedSteps(
  steps: readonly DerivativeStep[],
  anything: Expression,
): readonly DerivativeStep[] {
  const all = steps.length > 1 ? steps.find(({ next }) => next === anything) : undefined;
  if (all === undefined) return steps;
  const others = invert(all.set);
  return steps
    .map((step) => (step === all ? step : { set: intersect(step.set, others), next: step.next }))
    .filter(({ set }) => !isEmptySet(set));
}

/** True when no byte is in two of the sets. */
export function areStepsDisjoint(steps: readonly DerivativeStep[]): boolean {
  const taken = new Uint32Array(8);
  for (const { set } of steps) {
    if (!areDisjoint(taken, set)) return false;
    for (let word = 0; word < 8; word++) (taken[word] as number) |= set[word] as number;
  }
  return true;
}
