/**
 * The running sums of the most likely tokens' probabilities, and where top-k, top-p and min-p cut this list. Pure.
 *
 * Example, at temperature 1: a 0.5, b 0.25, c 0.15 and d 0.05 are listed, in a vocabulary of 6 tokens. The sums are 0.5, 0.75,
 * 0.9 and 0.95. Top-k 3 cuts at rank 3. Top-p 0.8 needs 0.8 of the 0.9 that top-k leaves, so 0.72, and cuts at rank 2. Min-p
 * 0.2 removes tokens below 0.2 · 0.5 = 0.1, and cuts at rank 3. The sampler had 2 candidates: the lowest of these ranks.
 *
 * `drawn-from.ts` differs in two ways. Its shares are the probabilities after all cut-offs (a 0.667, b 0.333, c and d 0); the
 * sums here go on beyond the cuts. And `drawn-from.ts` works without a recorded draw; here the result is null then.
 */
import { formatNumber } from "../../../core/base/number-text.ts";
import {
  type CutOffName,
  cutOffNames,
  hasBiasOrPenalty,
  samplingNumbers,
} from "../../../core/base/sampling.ts";
import { countWithNoun, formatCount } from "../../ui/format.ts";
import type { TokenDrawInput } from "./drawn-from.ts";

export interface CutOff {
  readonly name: CutOffName;
  readonly label: string;
  /** The number of tokens that the cut-off keeps; null if it is beyond the recorded tokens. */
  readonly rank: number | null;
  /** For top-p: the sum of probabilities that it keeps. */
  readonly sum: number | null;
}

export interface CumulativeProbabilities {
  /**
   * Running sums of the probabilities at the draw's temperature, before any cut-off: first token, first two tokens, and so on.
   */
  readonly sums: readonly number[];
  readonly cutOffs: readonly CutOff[];
  /** Number of tokens that could be chosen. */
  readonly candidates: number;
  /** True if the sums are estimates: at a temperature other than 1, only bounds are known for the weight of unrecorded tokens. */
  readonly isEstimate: boolean;
}

/** Null if nothing was drawn, or if a bias or a penalty changed the probabilities after they were recorded. */
export function cumulativeProbabilities(drawing: TokenDrawInput): CumulativeProbabilities | null {
  const { probabilities, temperature, sampling, vocabularySize, known } = drawing;
  if (!known || temperature === 0 || hasBiasOrPenalty(sampling)) return null;
  // If the drawn token is not among the most likely tokens, it is last in the list, after a gap of unknown length.
  const list = probabilities.list.filter(({ probability }) => probability >= probabilities.mostOther);
  if (list.length === 0) return null;
  const weights = list.map(({ probability }) => probability ** (1 / temperature));
  const listedWeight = weights.reduce((sum, weight) => sum + weight, 0);
  const tail = tailOf(
    drawing,
    list.reduce((sum, { probability }) => sum + probability, 0),
    list.length,
  );
  const total = listedWeight + (tail.least + tail.most) / 2;
  let sum = 0;
  const sums = weights.map((weight) => {
    sum += weight / total;
    return sum;
  });
  const listed = { weights, sums, sampling, vocabularySize };
  const cutOffs = cutOffNames.flatMap((name): CutOff[] => {
    const cut = cutBy[name](sampling[name], listed);
    return cut
      ? [{ name, label: `${samplingNumbers[name].short} ${formatNumber(sampling[name])}`, ...cut }]
      : [];
  });
  const isEstimate = temperature !== 1 && tail.most - tail.least > 0.005 * total;
  return { sums, cutOffs, candidates: known.candidates, isEstimate };
}

/** The recorded tokens, most likely first, before any cut-off. */
interface ListedWeights extends Pick<TokenDrawInput, "sampling" | "vocabularySize"> {
  readonly weights: readonly number[];
  readonly sums: readonly number[];
}

/** The rank at which each cut-off cuts; null if it excludes nothing. */
const cutBy: Readonly<
  Record<CutOffName, (value: number, listed: ListedWeights) => Pick<CutOff, "rank" | "sum"> | null>
> = {
  topK(topK, { weights, vocabularySize }) {
    if (topK === 0 || topK >= vocabularySize) return null;
    return { rank: within(topK, weights.length), sum: null };
  },
  topP(topP, { sums, sampling: { topK } }) {
    if (topP === 1) return null;
    const massWithinTopK = topK > 0 && topK <= sums.length ? (sums[topK - 1] ?? 1) : 1;
    const sum = topP * massWithinTopK;
    const reached = sums.findIndex((each) => each >= sum);
    return { rank: reached < 0 ? null : reached + 1, sum };
  },
  minP(minP, { weights }) {
    if (minP === 0) return null;
    const threshold = minP * (weights[0] ?? 0);
    const first = weights.findIndex((weight) => weight < threshold);
    return { rank: first < 0 ? null : first, sum: null };
  },
};

const within = (rank: number, count: number): number | null => (rank <= count ? rank : null);

/** The smallest and largest weight of the unlisted tokens, depending on how their probability is spread. */
function tailOf(
  { probabilities, temperature, vocabularySize }: TokenDrawInput,
  listedProbability: number,
  listedCount: number,
) {
  const unlistedProbability = Math.max(0, 1 - listedProbability);
  const unlistedCount = Math.max(1, vocabularySize - listedCount);
  const evenTail = unlistedCount * (unlistedProbability / unlistedCount) ** (1 / temperature);
  const steepTail =
    probabilities.mostOther > 0 ? unlistedProbability * probabilities.mostOther ** (1 / temperature - 1) : 0;
  return { least: Math.min(evenTail, steepTail), most: Math.max(evenTail, steepTail) };
}

/** The cut-offs in words: `Top-p 0.95 keeps 4 tokens; 4 of 512 tokens could be chosen.` */
export function describeCutOffs(
  { cutOffs, candidates }: CumulativeProbabilities,
  vocabularySize: number,
): string {
  const candidatesSentence = `${formatCount(candidates)} of ${formatCount(vocabularySize)} tokens could be chosen.`;
  const descriptions = cutOffs.map(({ label, rank }, place) => {
    const name = place === 0 ? `${label.charAt(0).toUpperCase()}${label.slice(1)}` : label;
    return rank === null
      ? `${name} keeps more tokens than were recorded`
      : `${name} keeps ${countWithNoun(rank, "token")}`;
  });
  return descriptions.length === 0
    ? `No cut-off is set: ${candidatesSentence}`
    : `${descriptions.join(", ")}; ${candidatesSentence}`;
}
