/** Finds the place at which another run, with other mods, continues a recorded run. */

import type { TraceRecord } from "../format/format.ts";
import { type BranchPlace, branchPlace } from "./branch-place.ts";
import type { TraceModel } from "./trace-model.ts";

/**
 * The place before the token with this index, or the end of the run if the index is null. The mods are asked again about the
 * event that led to the token: for a forced token, the event at which a mod forced it. Null if a link left out the token ids.
 * @param isBetweenSteps true if the run ended between two steps. Otherwise the mods are asked about the last event again.
 */
export function continuationPlace(
  trace: TraceModel,
  index: number | null,
  isBetweenSteps: boolean,
): BranchPlace | null {
  const { records, tokens } = trace;
  if (index === null) {
    if (tokens.token.some((token) => token < 0)) return null;
    return placeAtEnd(records, isBetweenSteps);
  }
  const place = branchPlace(trace, index);
  if (place === null || place.kept > 0 || records[place.at]?.type === "forwardPass") return place;
  return { at: eventBefore(records, place.at), kept: 0 };
}

function placeAtEnd(records: readonly TraceRecord[], isBetweenSteps: boolean): BranchPlace {
  let end = records.length;
  while (end > 1 && isLastWord(records[end - 1])) end -= 1;
  // Before the first step there is no output, so everything begins again, the prompt included.
  const hasBegun = records.some((record) => record.type === "forwardPass" && record.before !== null);
  if (!hasBegun && !records.some(({ type }) => type === "added")) return { at: 1, kept: 0 };
  return { at: isBetweenSteps ? end : eventBefore(records, end), kept: 0 };
}

function isLastWord(record: TraceRecord | undefined): boolean {
  return record?.type === "finished" || (record?.type === "modCall" && record.event === "finished");
}

/** The place from which a continuation gives the mods the last event before `end` again. */
function eventBefore(records: readonly TraceRecord[], end: number): number {
  for (let place = end - 1; place > 0; place -= 1) {
    const record = records[place];
    switch (record?.type) {
      case "prefilled":
        return 1;
      case "forwardPass":
        if (record.before !== null) return place;
        break;
      case "added":
        return place + 1;
      case "backtracked":
        // Replacement tokens belong to the change that removed the old tokens, and the change belongs to the event
        // before.
        if (record.replacement === 0) return place + 1;
        break;
      default:
    }
  }
  return 1;
}
