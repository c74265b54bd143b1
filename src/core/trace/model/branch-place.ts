/** Finds the place at which another run can branch off a recorded run. */
import type { TraceModel } from "./trace-model.ts";

/** Part of the decoder's `BranchPoint`. */
export interface BranchPlace {
  readonly at: number;
  readonly kept: number;
}

/**
 * The place where a run branches if another token replaces this one: the forward pass that gave the token's probabilities, or a
 * place among the tokens that a mod forced (the earlier forced tokens stay). Null if a link left out the token ids.
 */
export function branchPlace({ tokens, records }: TraceModel, index: number): BranchPlace | null {
  const step = tokens.step[index];
  const added = records[tokens.addedRecord[index] ?? -1];
  if (step === undefined || added?.type !== "added") return null;
  if (tokens.token.some((token) => token < 0)) return null;
  const at = tokens.addedRecord[index] ?? 0;
  for (let place = at - 1; place >= 0; place -= 1) {
    const record = records[place];
    if (record?.type !== "forwardPass" || record.before === null) continue;
    if (record.step === step) return { at: place, kept: 0 };
    break;
  }
  return { at, kept: index - added.index };
}
