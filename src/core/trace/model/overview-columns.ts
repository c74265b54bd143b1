/** The data of the strip that shows a whole request: tokens grouped into columns of equal size. */
import type { TokenRange } from "./selection.ts";
import { noIndex } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";

/**
 * Bits of `OverviewColumns.marks`: what happened to the tokens of a column. `adjusted`: a mod's edits changed which token was
 * chosen.
 */
export const overviewMark = {
  forced: 1,
  adjusted: 2,
  removed: 4,
  reinjected: 8,
  end: 16,
  fault: 32,
  /** A token was chosen while mods steered. */
  steered: 64,
  /** A question that a mod asked, or its answer in the output. */
  asked: 128,
} as const;

/** One entry per column. NaN if the value is unknown. */
export interface OverviewColumns {
  /** Index of the first token of each column; the last entry is the end of the last column. */
  readonly starts: Uint32Array;
  /** Largest surprisal before the mods, in bits. */
  readonly surprisal: Float32Array;
  /** Mean entropy before the mods, in bits. */
  readonly entropy: Float32Array;
  readonly marks: Uint8Array;
}

const markOfKind = { sampled: 0, adjusted: 2, forced: 1, reinjected: 8, moved: 128, end: 16 } as const;

/**
 * At most one column per token, and about `columnCount` columns for the tokens of the range. Columns begin at multiples of their
 * size, so that they stay the same while a range of one size is moved.
 */
export function overviewColumns(
  model: TraceModel,
  columnCount: number,
  { first, end }: TokenRange = { first: 0, end: model.tokens.text.length },
): OverviewColumns {
  const { tokens } = model;
  const size = Math.max(1, (end - first) / Math.max(1, Math.floor(columnCount)));
  const [from, to] = [Math.floor(first / size), Math.ceil(end / size - 1e-6)];
  const count = columnCount < 1 ? 0 : Math.max(0, to - from);
  const starts = Uint32Array.from({ length: count + 1 }, (_, column) =>
    column === count ? end : Math.max(first, Math.floor((from + column) * size + 1e-6)),
  );
  const surprisal = new Float32Array(count).fill(Number.NaN);
  const entropy = new Float32Array(count).fill(Number.NaN);
  const marks = new Uint8Array(count);
  const known = !model.leftOut.has("probabilities");
  for (let column = 0; column < count; column += 1) {
    let entropies = 0;
    let sum = 0;
    for (let token = starts[column] ?? 0; token < (starts[column + 1] ?? 0); token += 1) {
      const bits = -(tokens.logprobBefore[token] ?? Number.NaN) / Math.LN2;
      if (known && !(bits <= (surprisal[column] ?? 0))) surprisal[column] = bits || 0;
      const here = tokens.entropyBefore[token] ?? Number.NaN;
      if (known && !Number.isNaN(here)) {
        entropies += 1;
        sum += here;
      }
      marks[column] = (marks[column] ?? 0) | markOf(model, token);
    }
    if (entropies > 0) entropy[column] = sum / entropies;
  }
  markFaults(model, starts, marks);
  return { starts, surprisal, entropy, marks };
}

function markOf(model: TraceModel, token: number): number {
  const { removedBy, kind, counterfactual, steered } = model.tokens;
  const span = removedBy[token] ?? noIndex;
  const taken = model.spans[span]?.isQuestion ? overviewMark.asked : overviewMark.removed;
  const also = (span === noIndex ? 0 : taken) | (steered[token] ? overviewMark.steered : 0);
  const own = kind[token] ?? "sampled";
  return also | (own === "adjusted" && !counterfactual[token] ? 0 : markOfKind[own]);
}

function markFaults(model: TraceModel, starts: Uint32Array, marks: Uint8Array): void {
  for (const { kind, tokenIndex } of model.interventions) {
    if (kind !== "fault") continue;
    const isAfterLast = tokenIndex === model.tokens.text.length;
    const column = columnOf(starts, isAfterLast ? tokenIndex - 1 : tokenIndex);
    if (column !== null) marks[column] = (marks[column] ?? 0) | overviewMark.fault;
  }
}

/** The column of a token; null if no column contains the token. */
export function columnOf(starts: Uint32Array, token: number): number | null {
  if (token < (starts[0] ?? 0) || token >= (starts.at(-1) ?? 0)) return null;
  let [low, high] = [0, starts.length - 2];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}
