/** Describes the column under the cursor: the token of each run, where it came from, how likely it was, and the difference. */
import type { Comparison, PlaceRange, Side } from "../../../core/trace/compare/comparison.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { describeToken } from "../../../core/trace/model/trace-text.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { countWithNoun, formatProbability } from "../../ui/format.ts";
import { tokensInTextNote } from "../in-the-text.ts";
import { wrapQuotes } from "../whole-quotes.tsx";
import {
  alignedTokenProbabilities,
  formatPercentagePoints,
  formatSignedNumber,
  maxTokensPerColumn,
} from "./compare-rows.ts";

interface ColumnDetailProps {
  readonly comparison: Comparison;
  readonly left: TraceModel;
  readonly right: TraceModel;
  readonly column: number;
}

export function ColumnDetail({ comparison, left, right, column }: ColumnDetailProps) {
  const probabilities = alignedTokenProbabilities(comparison, { left, right }, column);
  if (!probabilities) return null;
  const { difference, leftProbability, rightProbability } = probabilities;
  return (
    <section className="compare-detail" aria-label="Tokens at the cursor">
      <dl>
        <Token
          letter="A"
          trace={left}
          side="left"
          range={probabilities.left}
          comparison={comparison}
          probability={leftProbability}
        />
        <Token
          letter="B"
          trace={right}
          side="right"
          range={probabilities.right}
          comparison={comparison}
          probability={rightProbability}
        />
      </dl>
      {difference !== null && leftProbability !== null && rightProbability !== null && (
        <p>
          {difference === 0 ? (
            "Equally likely in both runs."
          ) : (
            <>
              Probability: {formatProbability(leftProbability)} in A, {formatProbability(rightProbability)} in
              B (<strong>{formatPercentagePoints(difference)} percentage points</strong>,{" "}
              {formatSignedNumber(Math.log2(rightProbability) - Math.log2(leftProbability), 1)} bits).
            </>
          )}
        </p>
      )}
    </section>
  );
}

interface TokenProps {
  readonly letter: string;
  readonly comparison: Comparison;
  readonly trace: TraceModel;
  readonly side: Side;
  readonly range: PlaceRange;
  readonly probability: number | null;
}

function Token(props: TokenProps) {
  return (
    <div>
      <dt>{props.letter}</dt>
      <dd>{wrapQuotes(formatTokens(props))}</dd>
    </div>
  );
}

function formatTokens({ letter, comparison, trace, side, range, probability }: TokenProps): string {
  const indices = comparison[side].slice(range.first, Math.min(range.end, range.first + maxTokensPerColumn));
  const [only] = indices;
  if (only === undefined) return noToken(letter, trace, range.first >= comparison[side].length);
  const count = range.end - range.first;
  if (count === 1) return describeToken(trace, only).replace(",", `${tokensInTextNote(trace)},`);
  const texts = indices.map((index) => trace.tokens.text[index]).join("|");
  const combined = probability === null ? "" : `, combined probability ${formatProbability(probability)}`;
  return `${countWithNoun(count, "token")}: ${showInvisibleCharacters(texts, 200)}${combined}`;
}

/** Why a run has no token in a column: its text ended before, or the other run's words here are more. */
function noToken(letter: string, { finished }: TraceModel, isPastEnd: boolean): string {
  if (!isPastEnd) return `No token of ${letter} at this place.`;
  return finished ? `The text of ${letter} ended before this place.` : `${letter} has no token here yet.`;
}
