/** The strip that shows a whole request: tokens gathered into columns of equal numbers of tokens. */
import { none } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";

/**
 * Bits of `OverviewColumns.marks`: what happened to the tokens of a column. `adjusted`: a mod's edits made another token
 * come out.
 */
export const overviewMark = {
  forced: 1,
  adjusted: 2,
  removed: 4,
  reinjected: 8,
  end: 16,
  fault: 32,
} as const;

/** One entry per column. NaN where nothing is known. */
export interface OverviewColumns {
  /** Index of the first token of each column; one entry more, at the end, holds the number of tokens. */
  readonly starts: Uint32Array;
  /** Largest surprisal before the mods, in bits. */
  readonly surprisal: Float32Array;
  /** Mean entropy before the mods, in bits. */
  readonly entropy: Float32Array;
  readonly marks: Uint8Array;
}

const markOfKind = { sampled: 0, adjusted: 2, forced: 1, reinjected: 8, end: 16 } as const;

/** At most one column per token, and at most `columnCount`. */
export function overviewColumns(model: TraceModel, columnCount: number): OverviewColumns {
  const { tokens } = model;
  const tokenCount = tokens.text.length;
  const count = Math.max(Math.min(Math.floor(columnCount), tokenCount), 0);
  const starts = Uint32Array.from({ length: count + 1 }, (_, column) =>
    count === 0 ? 0 : Math.floor((column * tokenCount) / count),
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
  const { removedBy, kind, ghost } = model.tokens;
  const removed = removedBy[token] === none ? 0 : overviewMark.removed;
  const own = kind[token] ?? "sampled";
  return removed | (own === "adjusted" && !ghost[token] ? 0 : markOfKind[own]);
}

function markFaults(model: TraceModel, starts: Uint32Array, marks: Uint8Array): void {
  for (const { kind, tokenIndex } of model.interventions) {
    const column = Math.min(columnOf(starts, tokenIndex), marks.length - 1);
    if (kind === "fault" && column >= 0) marks[column] = (marks[column] ?? 0) | overviewMark.fault;
  }
}

/** The column of a token. */
export function columnOf(starts: Uint32Array, token: number): number {
  const columns = starts.length - 1;
  const tokenCount = starts[columns] ?? 0;
  if (tokenCount === 0) return 0;
  let column = Math.min(Math.floor((token * columns) / tokenCount), columns - 1);
  while (column + 1 < columns && (starts[column + 1] ?? 0) <= token) column += 1;
  return column;
}
