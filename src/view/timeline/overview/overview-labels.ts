/** The overview in words: the part of the run in view, how surprising it was, and what mods did there. Pure. */
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { countWithNoun, formatCount } from "../../ui/format.ts";
import { markLabels } from "../mark-labels.ts";
import { authorshipOf } from "../ribbon/ribbon-cells.ts";

export function describeOverview(trace: TraceModel, range: TokenRange): string {
  const count = trace.tokens.text.length;
  if (range.end <= range.first) return "No tokens yet.";
  const isWhole = range.first === 0 && range.end === count;
  const shown = isWhole
    ? `All ${formatCount(count)} tokens.`
    : `Tokens ${formatCount(range.first + 1)} to ${formatCount(range.end)} of ${formatCount(count)} are in view.`;
  return [shown, surprisalLabels(trace, range), markSentence(trace, range)].filter(Boolean).join(" ");
}

function surprisalLabels(trace: TraceModel, { first, end }: TokenRange): string {
  if (trace.leftOut.has("probabilities")) return "The probabilities were not saved.";
  const { logprobBefore } = trace.tokens;
  let sum = 0;
  let known = 0;
  let most = first;
  const bitsOf = (index: number) => -(logprobBefore[index] ?? Number.NaN) / Math.LN2;
  for (let index = first; index < end; index += 1) {
    const bits = bitsOf(index);
    if (Number.isNaN(bits)) continue;
    sum += bits;
    known += 1;
    if (!(bits <= bitsOf(most))) most = index;
  }
  if (known === 0) return "";
  return `Surprisal ${inBits(sum / known)} on average; highest ${inBits(bitsOf(most))}, at ${describeToken(trace, most)}.`;
}

const inBits = (bits: number) => `${bits.toFixed(1)} bits`;

function markSentence(trace: TraceModel, range: TokenRange): string {
  const { shares } = authorshipOf(trace, range);
  const parts = markLabels
    .map(({ mark, word }) => ({ mark, word, sum: shares.reduce((sum, share) => sum + share[mark], 0) }))
    .filter(({ sum }) => sum > 0)
    .map(({ mark, word, sum }) =>
      mark === "reinjected" ? countWithNoun(sum, word) : `${formatCount(sum)} ${word}`,
    );
  return parts.length === 0
    ? "No mod changed a word here."
    : `Tokens that mods changed: ${parts.join(", ")}.`;
}
