/** Where another run can branch off one that was recorded. */
import type { TraceModel } from "./trace-model.ts";

/**
 * Place among the records of the forward pass that gave the odds of a token's place: a run that branches off there may take
 * another token. Null where the run had no odds of its own: for all but the first of forced tokens, which came at once, and
 * where a link left out which tokens they were.
 */
export function branchPlace({ tokens, records }: TraceModel, index: number): number | null {
  const step = tokens.step[index];
  const added = records[tokens.addedRecord[index] ?? -1];
  if (step === undefined || added?.type !== "added") return null;
  if (tokens.token.some((token) => token < 0)) return null;
  for (let place = (tokens.addedRecord[index] ?? 0) - 1; place >= 0; place -= 1) {
    const record = records[place];
    if (record?.type === "forwardPass" && record.before !== null) return record.step === step ? place : null;
  }
  return null;
}
