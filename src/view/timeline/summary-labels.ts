/** The sentence above the text: how much of it the model chose, and of which prompt. Pure. */
import { formatCount, listed, plural } from "../../core/base/number-text.ts";
import type { TokenRange } from "../../core/trace/model/selection.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { modName } from "../../core/trace/model/trace-view.ts";
import type { Authorship } from "./ribbon/ribbon-cells.ts";

/** A sentence whose middle is shown in bold type. */
export interface StressedSentence {
  readonly before: string;
  readonly stressed: string;
  readonly after: string;
}

/** `rewrittenBy`: the mods that changed the prompt before the model read it. */
export function ownWords(
  { output, own }: Pick<Authorship, "output" | "own">,
  rewrittenBy: readonly string[],
): StressedSentence {
  const subject =
    rewrittenBy.length > 0
      ? `${listed(rewrittenBy)} rewrote the prompt; the model chose `
      : "The model chose ";
  if (output === 0) return { before: "Nothing is left of the text.", stressed: "", after: "" };
  if (own < output)
    return {
      before: subject,
      stressed: own === 0 ? "none" : formatCount(own),
      after: ` of ${plural(output, "token")}.`,
    };
  const all = output === 1 ? "the only token." : `all ${plural(output, "token")}.`;
  return { before: subject + all, stressed: "", after: "" };
}

/** Like `ownWords`, for the tokens of a range. Removed tokens and the end are no part of the output. */
export function ownWordsIn(
  { output, own }: Pick<Authorship, "output" | "own">,
  { first, end }: TokenRange,
): StressedSentence {
  const selected = `${formatCount(end - first)} selected.`;
  if (output === 0) return { before: `Nothing is left of ${selected}`, stressed: "", after: "" };
  const of = output < end - first ? ` of ${formatCount(output)} left of ${selected}` : ` of ${selected}`;
  return { before: "The model chose ", stressed: own === 0 ? "none" : formatCount(own), after: of };
}

/** The names of the mods that rewrote the prompt; empty if none did. */
export function promptRewriters(trace: TraceModel): readonly string[] {
  if ((trace.prefilled?.originalLength ?? null) === null) return [];
  const mods = new Set<number>();
  for (const { kind, mod, tokenIndex } of trace.interventions) {
    if (tokenIndex > 0) break;
    if (kind === "adjustPrefill") mods.add(mod);
  }
  return mods.size > 0 ? [...mods].map((mod) => modName(trace, mod)) : ["a mod"];
}
