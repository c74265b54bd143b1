/** The data of the charts: tokens grouped into columns of equal size, with the means of their known values. Pure. */
import type { TokenRange } from "./selection.ts";
import { spanRangeOf, type TimeSpanTable, timeSpansOf } from "./time-spans.ts";
import { noIndex } from "./token-table.ts";
import { timeOfToken } from "./token-times.ts";
import type { TraceModel } from "./trace-model.ts";
import { recordOf } from "./trace-view.ts";

/** The ways in which tokens came into the output, as the charts count them. The end-of-sequence token is not counted. */
export const chartTokenKinds = [
  "sampled",
  "adjusted",
  "forced",
  "reinjected",
  "moved",
  "asked",
  "removed",
] as const;
export type ChartTokenKind = (typeof chartTokenKinds)[number];

/** Means over the tokens of a range. A mean is null if no token has the value. */
export interface ChartMetrics extends TokenRange {
  /** Mean probability before the mods, 0 to 1, and mean entropy in bits. */
  readonly probability: number | null;
  readonly entropy: number | null;
  /**
   * Upper bound of the mean entropy, if a server listed only some tokens of a step (`entropy` is then the lower bound).
   * Otherwise null.
   */
  readonly mostEntropy: number | null;
  /**
   * Milliseconds per token that the model, the sampler and each mod (by its number) took. Reading the prompt does not count.
   */
  readonly passesMs: number | null;
  readonly samplingMs: number | null;
  readonly modsMs: readonly (number | null)[];
  /** The number of tokens, divided by the time from the token before the range to the range's last token. */
  readonly tokensPerSecond: number | null;
  /** Shares of the tokens, 0 to 1. */
  readonly kinds: Readonly<Record<ChartTokenKind, number>>;
}

/** At most one column per token, and at most `columnCount`. */
export function chartColumns(model: TraceModel, columnCount: number): readonly ChartMetrics[] {
  const tokenCount = model.tokens.text.length;
  const count = Math.min(Math.floor(columnCount), tokenCount);
  const startOf = (column: number) => Math.floor((column * tokenCount) / count);
  return Array.from({ length: Math.max(0, count) }, (_, column) =>
    chartMetrics(model, { first: startOf(column), end: startOf(column + 1) }),
  );
}

/** The tokens of a range, counted by how they came into the output. */
export interface TokenKindBin extends TokenRange {
  readonly tokens: Readonly<Record<ChartTokenKind, number>>;
}

/** The most bars in the histogram. */
const mostBins = 32;

/** Joins neighbouring columns for a histogram, since a single token has only one kind. */
export function binTokenKinds(columns: readonly ChartMetrics[]): readonly TokenKindBin[] {
  const size = Math.ceil(columns.length / mostBins);
  const bins: TokenKindBin[] = [];
  for (let place = 0; place < columns.length; place += size) {
    const gathered = columns.slice(place, place + size);
    const tokens = noKinds();
    for (const { first, end, kinds } of gathered)
      for (const kind of chartTokenKinds) tokens[kind] += kinds[kind] * (end - first);
    bins.push({ first: gathered[0]?.first ?? 0, end: gathered.at(-1)?.end ?? 0, tokens });
  }
  return bins;
}

const noKinds = (): Record<ChartTokenKind, number> => ({
  sampled: 0,
  adjusted: 0,
  forced: 0,
  reinjected: 0,
  moved: 0,
  asked: 0,
  removed: 0,
});

export function chartMetrics(model: TraceModel, range: TokenRange): ChartMetrics {
  const { tokens, leftOut } = model;
  const timeSpans = timeSpansOf(model);
  const isTimed = !leftOut.has("timings");
  const isKnown = !leftOut.has("probabilities");
  const each = (table: TimeSpanTable | undefined, from = range.first) =>
    isTimed && table ? msPerToken(table, { first: Math.max(from, range.first), end: range.end }) : null;
  return {
    ...range,
    probability: isKnown
      ? meanOf(range, (token) => Math.exp(tokens.logprobBefore[token] ?? Number.NaN))
      : null,
    entropy: isKnown ? meanOf(range, (token) => tokens.entropyBefore[token] ?? Number.NaN) : null,
    mostEntropy: isKnown ? mostEntropyOf(model, range) : null,
    // The passes of the first token read the prompt.
    passesMs: each(timeSpans.passes, 1),
    samplingMs: each(timeSpans.sampling),
    modsMs: timeSpans.mods.map((table) => each(table)),
    tokensPerSecond: isTimed ? rateOf(model, range) : null,
    kinds: kindsOf(model, range),
  };
}

function mostEntropyOf(model: TraceModel, range: TokenRange): number | null {
  const { tokens } = model;
  let isBound = false;
  const mean = meanOf(range, (token) => {
    const forward = recordOf(model, tokens.forwardRecord[token], "forwardPass");
    const most = forward?.before?.partial?.mostEntropy;
    isBound ||= most !== undefined;
    return most ?? tokens.entropyBefore[token] ?? Number.NaN;
  });
  return isBound ? mean : null;
}

/** The mean of the values that are numbers. */
function meanOf({ first, end }: TokenRange, metricOf: (token: number) => number): number | null {
  let sum = 0;
  let count = 0;
  for (let token = first; token < end; token += 1) {
    const value = metricOf(token);
    if (Number.isNaN(value)) continue;
    sum += value;
    count += 1;
  }
  return count > 0 ? sum / count : null;
}

function msPerToken(table: TimeSpanTable, range: TokenRange): number | null {
  if (range.end <= range.first) return null;
  const { first, end } = spanRangeOf(table, range);
  let us = 0;
  for (let span = first; span < end; span += 1) us += (table.endUs[span] ?? 0) - (table.startUs[span] ?? 0);
  return us / 1000 / (range.end - range.first);
}

/** Tokens per second, without the run's first token, whose time is the prompt's; null if the range has no other token. */
function rateOf(model: TraceModel, { first, end }: TokenRange): number | null {
  const from = Math.max(1, first);
  if (end <= from) return null;
  const us = timeOfToken(model, end - 1).toUs - timeOfToken(model, from).fromUs;
  return us > 0 ? ((end - from) * 1e6) / us : null;
}

function kindsOf({ tokens, spans }: TraceModel, { first, end }: TokenRange): Record<ChartTokenKind, number> {
  const shares = noKinds();
  let count = 0;
  for (let token = first; token < end; token += 1) {
    const own = tokens.kind[token] ?? "sampled";
    const span = tokens.removedBy[token] ?? noIndex;
    const isRemoved = span !== noIndex;
    if (own === "end" && !isRemoved) continue;
    count += 1;
    if (isRemoved) shares[spans[span]?.isQuestion ? "asked" : "removed"] += 1;
    // If only the probabilities were adjusted and the same token came out, the token counts as the model's own.
    else if (own === "end" || (own === "adjusted" && !tokens.counterfactual[token])) shares.sampled += 1;
    else shares[own] += 1;
  }
  for (const kind of chartTokenKinds) shares[kind] /= Math.max(1, count);
  return shares;
}
