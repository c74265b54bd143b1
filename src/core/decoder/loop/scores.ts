/** The probabilities of tokens that mods forced, from the logits of the pass that reads these tokens. */

import type { TokenId } from "../../sdk/request.ts";
import { distributionOf } from "../logits/distribution.ts";
import { distributionOfListed } from "../logits/listed-distribution.ts";
import { distributionOfSummary, listedLogit } from "../logits/logits-summary.ts";
import type { LanguageModel } from "../ports/language-model.ts";
import { type Distribution, isListed, type ModelLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";
import type { Output } from "./output.ts";
import type { ForcedTokenScore } from "./recorder.ts";

/** Longer spans are not scored: each token would need a row of logits, whose memory and time the request did not ask for. */
const LONGEST_SPAN = 64;
const MOST_LOGITS = 8_000_000;

/**
 * How many rows of logits the pass over the tokens after the first `known` must return, so that forced tokens among them get
 * scores: one for each token; only the last one if the pass has a single token or too many, or if rows are costly.
 */
export function countLogitsToScore(
  output: Output,
  known: number,
  { vocabularySize, hasCostlyRows }: Pick<LanguageModel, "vocabularySize" | "hasCostlyRows">,
): number {
  if (hasCostlyRows) return 1;
  const span = output.sequence.length - known;
  const isTooLong = span > LONGEST_SPAN || span * vocabularySize > MOST_LOGITS;
  return isTooLong || span < 2 ? 1 : span;
}

/** The probability of a token according to a row of logits. */
export interface TokenScore {
  readonly logprob: number;
  readonly distribution: Distribution;
}

/** The logits of one pass, from which tokens are scored. */
interface ScoredPass {
  /** Tokens before the pass. */
  readonly known: number;
  /** The score of the first token of the pass, from the logits before it; null if no mod forced it or these logits are gone. */
  readonly knownScore: TokenScore | null;
  /** The rows of the pass; the last row follows the last token. */
  readonly rows: readonly ModelLogits[];
  /** Tokens with lower indices are scored already. */
  readonly firstIndex: number;
}

/**
 * The score of the token after the first `known`, if a mod forced this token and the logits before it are still there. The
 * next pass overwrites them.
 * @throws ForwardError
 */
export async function scoreForcedTokenAt(
  { ports: { kvCache }, output: { sequence, promptLength, emitted } }: DecodeState,
  known: number,
  row: ModelLogits | undefined,
): Promise<TokenScore | null> {
  const entry = emitted[known - promptLength];
  if (!row || !entry || known >= sequence.length || entry.source === "sampled") return null;
  if (row instanceof Float32Array) return scoreIn(row, entry.token);
  try {
    if (isListed(row)) {
      const [logprob = 0] = Array.from(await row.logprobsOf([entry.token]));
      return { logprob, distribution: distributionOfListed(row) };
    }
    const logit = listedLogit(row.summary, entry.token) ?? (await row.gather([entry.token]))[0] ?? 0;
    return scoreOf(logit, distributionOfSummary(row.summary));
  } catch (error) {
    throw kvCache.failureOf(error);
  }
}

function scoreIn(row: Float32Array, token: TokenId): TokenScore {
  return scoreOf(row[token] ?? 0, distributionOf(row));
}

function scoreOf(logit: number, distribution: Distribution): TokenScore {
  return { logprob: logit - distribution.logSumExp, distribution };
}

/** Records the scores of the forced tokens that the pass read, as far as it has rows for them. */
export function recordScores(state: DecodeState, { known, knownScore, rows, firstIndex }: ScoredPass): void {
  const { sequence, promptLength, emitted } = state.output;
  const firstRowFollows = sequence.length - rows.length + 1;
  let contiguous: ForcedTokenScore[] = [];
  for (let position = Math.max(known, promptLength); position < sequence.length; position++) {
    const entry = emitted[position - promptLength];
    if (!entry || entry.source === "sampled" || entry.index < firstIndex) continue;
    const score = position === known ? knownScore : scoreAfter(rows[position - firstRowFollows], entry.token);
    if (!score) continue;
    if (contiguous.length > 0 && contiguous.at(-1)?.index !== entry.index - 1) {
      state.recorder.scored(contiguous);
      contiguous = [];
    }
    contiguous.push({ index: entry.index, ...score });
  }
  if (contiguous.length > 0) state.recorder.scored(contiguous);
}

/** The score from a row of the pass that also read the token. */
function scoreAfter(row: ModelLogits | undefined, token: TokenId): TokenScore | null {
  if (!row) return null;
  if (row instanceof Float32Array) return scoreIn(row, token);
  if (isListed(row)) {
    const logprob = row.nextLogprob;
    return logprob === null ? null : { logprob, distribution: distributionOfListed(row) };
  }
  return row.nextLogit === null ? null : scoreOf(row.nextLogit, distributionOfSummary(row.summary));
}
