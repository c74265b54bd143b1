/** The sentence above the text: how much of the text the model chose, and from which prompt. Pure. */
import { countWithNoun, formatCount, joinNames } from "../../core/base/number-text.ts";
import type { TokenRange } from "../../core/trace/model/selection.ts";
import type { Authorship } from "./ribbon/ribbon-cells.ts";

/** A sentence whose middle is shown in bold type. */
export interface StressedSentence {
  readonly before: string;
  readonly stressed: string;
  readonly after: string;
}

/** `rewrittenBy`: the mods that changed the prompt before the model read it. */
export function describeOwnText(
  { output, own, answered }: Pick<Authorship, "output" | "own" | "answered">,
  rewrittenBy: readonly string[],
): StressedSentence {
  const subject =
    rewrittenBy.length > 0
      ? `${joinNames(rewrittenBy)} rewrote the prompt; the model chose `
      : "The model chose ";
  if (output === 0) return { before: "All of the text was removed.", stressed: "", after: "" };
  if (own < output)
    return {
      before: subject,
      stressed: own === 0 ? "none" : formatCount(own),
      after: ` of ${output === 1 ? "" : "the "}${countWithNoun(output, "token")}${answered > 0 ? `, and ${formatCount(answered)} in hidden questions` : ""}.`,
    };
  const all = output === 1 ? "the only token." : `all ${countWithNoun(output, "token")}.`;
  return { before: subject + all, stressed: "", after: "" };
}

/** Like `describeOwnText`, for the tokens of a range. Removed tokens and the end-of-sequence token do not count. */
export function describeOwnTextIn(
  { output, own }: Pick<Authorship, "output" | "own">,
  { first, end }: TokenRange,
): StressedSentence {
  const selected = countWithNoun(end - first, "selected token");
  if (output === 0) {
    const nothingLeft =
      end - first === 1
        ? "The selected token is no longer in the text."
        : `None of the ${selected} are still in the text.`;
    return { before: nothingLeft, stressed: "", after: "" };
  }
  const of =
    output < end - first
      ? ` of the ${countWithNoun(output, "token")} still in the text; ${countWithNoun(end - first, "token")} are selected.`
      : ` of the ${selected}.`;
  return { before: "The model chose ", stressed: own === 0 ? "none" : formatCount(own), after: of };
}
