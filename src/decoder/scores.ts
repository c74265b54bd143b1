/** How likely the model found tokens that mods forced: read off the logits of the pass that takes the tokens in. */
import type { DecodeState } from "./decode-state.ts";
import { distributionOf } from "./distribution.ts";
import type { LogitsRow } from "./logits-row.ts";
import type { Output } from "./output.ts";
import type { Score } from "./recorder.ts";

/** Longer spans are not scored: a row per token is memory and time that the request did not ask for. */
const LONGEST_SPAN = 64;
const MOST_LOGITS = 8_000_000;

/** How many rows to ask of the pass that reads the tokens after the first `known`: all, where they hold forced tokens. */
export function rowsToScore(output: Output, known: number, vocabularySize: number): number {
  const span = output.sequence.length - known;
  const isTooLong = span > LONGEST_SPAN || span * vocabularySize > MOST_LOGITS;
  return isTooLong || span < 2 ? 1 : span;
}

/** What a pass gave to score tokens by. */
interface ScoredPass {
  /** Tokens before the pass. */
  readonly known: number;
  /** Follow the first `known` tokens. */
  readonly knownLogits: LogitsRow | undefined;
  /** The last one follows the last token. */
  readonly rows: readonly LogitsRow[];
  /** Tokens with lower indices have their scores. */
  readonly firstIndex: number;
}

/** Writes down the scores of the forced tokens that the pass read, as far as there are rows for them. */
export function recordScores(state: DecodeState, { known, knownLogits, rows, firstIndex }: ScoredPass): void {
  const { sequence, promptLength, emitted } = state.output;
  const firstRowFollows = sequence.length - rows.length + 1;
  let contiguous: Score[] = [];
  for (let position = Math.max(known, promptLength); position < sequence.length; position++) {
    const entry = emitted[position - promptLength];
    const row = position === known ? knownLogits : rows[position - firstRowFollows];
    if (!entry || !row || entry.source === "sampled" || entry.index < firstIndex) continue;
    if (contiguous.length > 0 && contiguous.at(-1)?.index !== entry.index - 1) {
      state.recorder.scored(contiguous);
      contiguous = [];
    }
    const distribution = distributionOf(row);
    const logprob = (row[entry.token] ?? 0) - distribution.logSumExp;
    contiguous.push({ index: entry.index, logprob, distribution });
  }
  if (contiguous.length > 0) state.recorder.scored(contiguous);
}
