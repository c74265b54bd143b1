/** Labels of continuing a run. */
import { countWithNoun, formatCount } from "../../../view/ui/format.ts";

/**
 * `index`: the token from which the run continues, or "here" beside that token; null for the end of the run. `moreTokens`: number
 * of tokens that the run writes beyond its limit if it continues at its end; null if it ended before its limit.
 */
export function continueButtonLabel(index: number | "here" | null, moreTokens: number | null): string {
  return `Continue${index === null ? moreTokensText(moreTokens) : describePlace(index)} with ${editorsMods}`;
}

function describePlace(index: number | "here"): string {
  return index === "here" ? " from here" : ` from token ${formatCount(index + 1)}`;
}

/** `hasOtherMods`: whether the editor’s mods differ from the mods of the run, which continue it. */
export function continueAtEndLabel(moreTokens: number | null, hasOtherMods: boolean): string {
  return `Continue${moreTokensText(moreTokens)}${hasOtherMods ? ` with ${runsMods}` : ""}`;
}

/** The two choices at the end of a run. Each stands on a button beside the other, after `continueWithText`. */
export const runsMods = "this run’s mods";
export const editorsMods = "the editor’s mods";

export function continueWithText(moreTokens: number | null): string {
  return `Continue${moreTokensText(moreTokens)} with`;
}

function moreTokensText(moreTokens: number | null): string {
  return moreTokens === null ? "" : ` for ${countWithNoun(moreTokens, "more token")}`;
}
