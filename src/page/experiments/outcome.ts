/** The outcome of one run: the values for the table, from the run's trace. */
import type { FinishedRecord } from "../../core/trace/format/format.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/** The result of one check of one answer. */
export interface CheckVerdict {
  /** Null if the check could not be made; `problem` then says why. */
  readonly holds: boolean | null;
  readonly problem: string | null;
}

/** Metrics that are the same each time the run is made. */
export interface RepeatableRunResult {
  /** The mods' changes: actions that counted, and faults. */
  readonly interventions: number;
  /** Tokens of the answer, without the end of the sequence. */
  readonly tokens: number;
  /**
   * Bits per token: the mean of −log₂ p over the tokens of the answer whose probability is recorded, with p what the model gave
   * them before any mod. Null if none is recorded.
   */
  readonly surprisal: number | null;
  readonly finishReason: FinishedRecord["reason"];
  /** The error, if the reason is `error`. */
  readonly error: string | null;
  /** The first `maximumStoredTextLength` characters of the output. */
  readonly text: string;
  /** In the order of the experiment's checks. */
  readonly verdicts: readonly CheckVerdict[];
  readonly promptTokens: number;
}

/** The cost of a run: different each time, and dependent on earlier runs. */
export interface RunCost {
  readonly forwardPasses: number;
  /** Prompt tokens that were found in the KV cache. */
  readonly reusedTokens: number;
  /** Microseconds of reading the prompt, and of the steps after it. */
  readonly prefillUs: number;
  readonly decodeUs: number;
}

export interface RunOutcome {
  /** The number of the planned run. */
  readonly number: number;
  /** Id of the saved run. If the outcome came with a file, this browser has no run with the id. */
  readonly runId: string;
  readonly result: RepeatableRunResult;
  readonly cost: RunCost;
}

/** UTF-16 units of the output that an outcome stores. */
export const maximumStoredTextLength = 2_000;

/** `verdicts`: the results of the checks of `finished.text`. */
export function repeatableResultOf(
  trace: TraceModel,
  verdicts: readonly CheckVerdict[],
): RepeatableRunResult {
  const { finished, tokens, outputTokens } = trace;
  const bits: number[] = [];
  let count = 0;
  for (const index of outputTokens) {
    if (tokens.kind[index] === "end") continue;
    count += 1;
    const logprob = tokens.logprobBefore[index];
    if (logprob !== undefined && Number.isFinite(logprob)) bits.push(-logprob / Math.LN2);
  }
  return {
    interventions: trace.interventions.length,
    tokens: count,
    surprisal: bits.length === 0 ? null : bits.reduce((sum, each) => sum + each, 0) / bits.length,
    finishReason: finished?.reason ?? "error",
    error: finished ? (finished.error?.message ?? null) : "The recorded run is incomplete.",
    text: beginningOf(finished?.text ?? ""),
    verdicts,
    promptTokens: finished?.usage.promptTokens ?? 0,
  };
}

export function runCostOf({ finished }: TraceModel): RunCost {
  const { usage, prefillUs = 0, decodeUs = 0 } = finished ?? {};
  return {
    forwardPasses: usage?.forwardPasses ?? 0,
    reusedTokens: usage?.reusedTokens ?? 0,
    prefillUs,
    decodeUs,
  };
}

/** The cut does not split a surrogate pair. */
function beginningOf(text: string): string {
  return text.slice(0, maximumStoredTextLength).replace(/[\ud800-\udbff]$/, "");
}
