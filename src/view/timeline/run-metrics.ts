/** The metrics of a run in one line. Pure. */
import { runTimes } from "../../core/trace/model/run-times.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { countWithNoun, formatCount, formatDuration } from "../ui/format.ts";
import type { Authorship } from "./ribbon/ribbon-cells.ts";

/** The number of tokens, the duration and the seed of a run; "" before there is anything to count. */
export function formatRunMetrics(trace: TraceModel, authorship: Authorship): string {
  const count = tokensAndRemovedText(authorship);
  return count === "" ? "" : [count, ...durationAndSeedTexts(trace)].join(" · ");
}

/** How long a run took, its tokens per second and its seed, as far as they are known. */
export function durationAndSeedTexts(trace: TraceModel): readonly string[] {
  const { tokensPerSecond, prefillUs, decodeUs } = runTimes(trace);
  const parts: string[] = [];
  // A prompt that was read before takes no time.
  if (prefillUs !== null && decodeUs) parts.push(formatDuration(prefillUs + decodeUs));
  if (tokensPerSecond) parts.push(`${Math.round(tokensPerSecond)} tokens/s`);
  if (trace.request) parts.push(`seed ${trace.request.seed}`);
  return parts;
}

/** Explains why a run has fewer or more forward passes than tokens. */
export const passesHint =
  "A forward pass is one computation of the model. It usually produces one token. One pass produces several tokens if a mod wrote them, or if Midtoken guessed them from the earlier text and the model confirmed the guess. Passes for removed tokens count too.";

/** Names the parts of a run's time; "" before the run ends. */
export function timeHint(trace: TraceModel): string {
  const { prefillUs, decodeUs } = runTimes(trace);
  if (prefillUs === null || !decodeUs) return "";
  const { modUs, forwardPasses } = trace.totals;
  const writing = `${formatDuration(decodeUs)} to write the text`;
  const mods = modUs > 0 ? ` (${formatDuration(modUs)} in mods)` : "";
  const passes = `${formatCount(forwardPasses)} forward ${forwardPasses === 1 ? "pass" : "passes"}`;
  return `${formatDuration(prefillUs)} to read the prompt, ${writing}${mods}. Loading the model and the mods is not included. ${passes}. ${passesHint}`;
}

/**
 * The number of tokens, counted as in the summary above the text: without end-of-sequence token, and with removed tokens
 * counted separately.
 */
export function tokensAndRemovedText({ output, shares }: Authorship): string {
  const removed = shares.reduce((sum, share) => sum + share.removed, 0);
  if (output + removed === 0) return "";
  return removed > 0
    ? `${countWithNoun(output, "token")}, ${formatCount(removed)} removed`
    : countWithNoun(output, "token");
}
