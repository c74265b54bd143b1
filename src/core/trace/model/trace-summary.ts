/** Metrics of a whole run. */
import { type RunTimes, runTimes } from "./run-times.ts";
import type { TraceModel } from "./trace-model.ts";

/** Metrics of the whole request; null if unknown or left out. */
export interface TraceSummary extends RunTimes {
  /** `emitted`: the number of all emitted tokens. `live`: the number of tokens in the output. */
  readonly emitted: number;
  readonly outputTokens: number;
  readonly adjusted: number;
  readonly forced: number;
  readonly reinjected: number;
  /** Without the tokens of questions, which `asked` counts. */
  readonly removed: number;
  /** Tokens of hidden questions and of their answers, which are no part of the output. */
  readonly asked: number;
  readonly steered: number;
  readonly forwardPasses: number;
  readonly modCalls: number;
  readonly faults: number;
  readonly interventions: number;
  readonly reason: string | null;
  readonly forwardUs: number | null;
  readonly modUs: number | null;
  /** Share of the emitted tokens that a mod forced, and share of the emitted tokens that were removed. */
  readonly forcedShare: number;
  readonly removedShare: number;
}

export function traceSummary(model: TraceModel): TraceSummary {
  const { totals, leftOut } = model;
  const emitted = model.tokens.token.length;
  const asked = model.spans.reduce((sum, span) => sum + (span.isQuestion ? span.removed.length : 0), 0);
  const removed = totals.removed - asked;
  const timed = !leftOut.has("timings");
  return {
    emitted,
    outputTokens: model.outputTokens.length,
    adjusted: totals.adjusted,
    forced: totals.forced,
    reinjected: totals.reinjected,
    removed,
    asked,
    steered: totals.steered,
    forwardPasses: totals.forwardPasses,
    modCalls: totals.modCalls,
    faults: totals.faults,
    interventions: model.interventions.length,
    reason: model.finished?.reason ?? null,
    ...runTimes(model),
    forwardUs: timed ? totals.forwardUs : null,
    modUs: timed ? totals.modUs : null,
    forcedShare: emitted === 0 ? 0 : (totals.forced + totals.reinjected) / emitted,
    removedShare: emitted === 0 ? 0 : removed / emitted,
  };
}
