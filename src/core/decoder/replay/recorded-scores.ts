/** The scores that a mod got when the request was recorded. The replay gives it the same numbers and computes nothing. */
import type { ScoreContinuations } from "../../sdk/score-arguments.ts";
import type { ModCallRecord } from "../../trace/format/format.ts";
import { continuationsDigest } from "../loop/edit-digest.ts";

/** @param otherwise computes the scores that the recorded call does not have, for a changed mod */
export function scorerFromRecord(
  call: ModCallRecord | null,
  otherwise: ScoreContinuations,
): ScoreContinuations {
  const left = [...(call?.scores ?? [])];
  return async (continuations) => {
    const digest = continuationsDigest(continuations);
    const recorded = left.findIndex((each) => each.digest === digest);
    const [found] = recorded < 0 ? [] : left.splice(recorded, 1);
    return found ? found.logprobs : otherwise(continuations);
  };
}
