/** Labels of continuing a run. */
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";

/** `index`: the token from which the run continues, or "here" beside that token; null for the end of the run. */
export function continueButtonLabel(index: number | "here" | null, isRecordedElsewhere: boolean): string {
  return `Continue${whereText(index)} with ${isRecordedElsewhere ? "the editor’s mods" : "the changed mods"}`;
}

function whereText(index: number | "here" | null): string {
  if (index === null) return "";
  return index === "here" ? " from here" : ` from token ${formatCount(index + 1)}`;
}

/** `moreTokens`: number of tokens that the run writes beyond its limit; null if it ended before its limit. */
export function continueAtEndLabel(moreTokens: number | null): string {
  return moreTokens === null ? "Continue" : `Continue for ${countWithNoun(moreTokens, "more token")}`;
}
