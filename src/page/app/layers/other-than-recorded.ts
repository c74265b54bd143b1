/** Compares the last layer's prediction with the recorded one. Both are equal if the same weights read the same text. Pure. */
import type { TraceLayerSays } from "../../../core/trace/format/format-layers.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { formatProbability } from "../../../view/ui/format.ts";

/** Log-probabilities that differ by less are rounding, of a link or of another way to compute. */
const sameWithin = 0.05;

/** A sentence if the two differ; null if they agree, or if the trace has no probabilities of the token. */
export function recordedDifferenceSentence(
  trace: TraceModel,
  index: number,
  lines: readonly TraceLayerSays[],
): string | null {
  const recorded = trace.leftOut.has("probabilities") ? undefined : trace.tokens.logprobBefore[index];
  const read = lines.at(-1)?.token?.logprob;
  if (recorded === undefined || Number.isNaN(recorded) || read === undefined) return null;
  if (Math.abs(recorded - read) <= sameWithin) return null;
  const [was, is] = [recorded, read].map((logprob) => formatProbability(Math.exp(logprob)));
  return `In the recorded run, this token had a probability of ${was}; the last layer now gives ${is}. The model was loaded with different weights, or runs on a different device.`;
}
