/** Makes the outcome of a run from its trace: its metrics, and the result of each check of its output. */
import type { TraceRecord } from "../../core/trace/format/format.ts";
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { createTextCheck, type TextCheck } from "./checks.ts";
import type { Check, Experiment } from "./experiment.ts";
import { functionCheckRequest, functionVerdict } from "./function-check.ts";
import { lastMessageText } from "./names.ts";
import { type CheckVerdict, type RunOutcome, repeatableResultOf, runCostOf } from "./outcome.ts";
import type { PlannedRun } from "./plan.ts";
import type { ExperimentRequest } from "./request.ts";

/** `runId`: the id of the saved run. */
export type RunEvaluator = (run: PlannedRun, trace: TraceModel, runId: string) => Promise<RunOutcome>;

/**
 * `make`: makes the request of a check that is a function, and returns its records. If it rejects, the evaluator rejects with the
 * same error.
 */
export function createRunEvaluator(
  experiment: Experiment,
  make: (request: ExperimentRequest) => Promise<readonly TraceRecord[]>,
): RunEvaluator {
  const asks = experiment.checks.map((check) => (check.type === "function" ? null : createTextCheck(check)));
  const verdictOf = async (
    check: Check,
    ask: TextCheck | null | undefined,
    run: PlannedRun,
    trace: TraceModel,
  ): Promise<CheckVerdict> => {
    const text = trace.finished?.text ?? "";
    if (check.type !== "function") return ask?.(text) ?? { holds: null, problem: null };
    const prompt = experiment.prompts[run.prompt];
    const about = {
      prompt: prompt ? lastMessageText(prompt) : "",
      seed: experiment.seeds[run.seed] ?? 0,
      finishReason: trace.finished?.reason ?? "error",
      tokens: trace.outputTokens.length,
      interventions: trace.interventions.length,
    };
    return functionVerdict(await make(functionCheckRequest(check, text, about, "")));
  };
  return async (run, trace, runId) => {
    const verdicts: CheckVerdict[] = [];
    // An output that an error cut off is checked too: the table marks the run as failed.
    for (const [at, check] of experiment.checks.entries())
      verdicts.push(await verdictOf(check, asks[at], run, trace));
    return { number: run.number, runId, result: repeatableResultOf(trace, verdicts), cost: runCostOf(trace) };
  };
}
