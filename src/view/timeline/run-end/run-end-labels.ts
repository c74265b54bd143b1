/** How a run ended and what the reader can do next, in words. Pure. */
import { countWithNoun } from "../../../core/base/number-text.ts";
import type { FinishedRecord } from "../../../core/trace/format/format.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";

export interface RunEndState {
  /** Null while the run is in progress, or if the page was left before the run ended. */
  readonly finished: Pick<FinishedRecord, "reason" | "lengthLimit" | "error" | "toolCalls"> | null;
  readonly request: Pick<NonNullable<TraceModel["request"]>, "maxTokens"> | null;
  /** Why the engine aborted the run; null if it did not. */
  readonly failure: string | null;
  /** True if the page was left before the run ended. */
  readonly interrupted: boolean;
  /** Tokens in the output. */
  readonly length: number;
  /** Whether the output has answers of the model to questions of a mod. */
  readonly hasAnswers: boolean;
  /** False for a run that can only be read, such as a link: there is no Run button and there are no settings. */
  readonly canRun: boolean;
}

export interface RunEndLabels {
  readonly title: string;
  /** The message of the error. */
  readonly detail: string | null;
  readonly next: string | null;
  readonly isError: boolean;
}

/** Null while the run is in progress. */
export function runEndLabels(end: RunEndState): RunEndLabels | null {
  const words = endOf(end);
  return words && { ...words, next: end.canRun ? words.next : null };
}

function endOf({
  finished,
  request,
  failure,
  interrupted,
  length,
  hasAnswers,
}: RunEndState): RunEndLabels | null {
  if (failure !== null)
    return {
      title: "The engine aborted this run.",
      detail: showInvisibleCharacters(failure, longestDetail),
      next: "Press Run to try again. If the run fails again, choose a smaller model or reload the page.",
      isError: true,
    };
  if (interrupted) return quiet("The page was closed before this run ended.", cutEndHint(length));
  if (!finished) return null;
  if (finished.reason === "error") return errorEnd(finished.error);
  if (finished.reason === "length") return lengthEnd(finished.lengthLimit ?? "maxTokens", request);
  if (finished.reason === "cancelled")
    return quiet(withEmptyText("You stopped this run.", length), cutEndHint(length));
  if (finished.reason === "forced" && hasAnswers)
    return quiet("A mod made the final text from the model’s answers and ended the run.", clickAnyWordHint);
  const [title, next] = plainEnds[finished.reason](finished.toolCalls.length);
  return quiet(finished.reason === "tool_calls" ? title : withEmptyText(title, length), next);
}

const withEmptyText = (title: string, length: number) => (length > 0 ? title : `${title} The text is empty.`);

/** The next step after a run that was stopped. */
const cutEndHint = (length: number) =>
  length > 0 ? "Press “Continue” to write the rest, or Run to start again." : "Press Run to start again.";

const quiet = (title: string, next: string): RunEndLabels => ({ title, detail: null, next, isError: false });

type PlainReason = Exclude<FinishedRecord["reason"], "error" | "length" | "cancelled">;

/** If this sentence is shown, the line about marked words is left out, because this sentence contains the same text. */
export const clickAnyWordHint =
  "Click any word to see why it is there, and what else the model could have written.";

/** Title and next step for each end of a run. */
const plainEnds: Readonly<Record<PlainReason, (calls: number) => readonly [string, string]>> = {
  stop: () => ["The model finished.", clickAnyWordHint],
  forced: () => [
    "A mod wrote the final text and ended the run.",
    "Open Events to see which mod ended the run. Switch that mod off to read the model’s own text.",
  ],
  tool_calls: (calls) => [
    calls === 1
      ? "The run ended with a tool call."
      : `The run ended with ${countWithNoun(calls, "tool call")}.`,
    "Add the result of each tool to the conversation, then press Run to let the model continue.",
  ],
  budget: () => [
    "The run reached its limit of forward passes.",
    "Raise “Max forward passes” under Sampling, then press Run.",
  ],
};

function lengthEnd(
  limit: NonNullable<FinishedRecord["lengthLimit"]>,
  request: RunEndState["request"],
): RunEndLabels {
  const tokens = request ? ` of ${countWithNoun(request.maxTokens, "token")}` : "";
  switch (limit) {
    case "maxTokens":
      return quiet(
        `The text reached the limit${tokens}.`,
        "Press “Continue” to let the model write more. For the next run, raise “Max tokens” under Sampling.",
      );
    case "maxSteps":
      return quiet(
        "The text reached the limit that a mod set (maxSteps).",
        "Raise maxSteps in the mod, then press Run.",
      );
    case "context":
      return quiet(
        "The model’s context is full.",
        "Shorten the prompt, or choose a model with a longer context.",
      );
  }
}

/** The most UTF-16 units of an error that are shown. */
const longestDetail = 2_000;

function errorEnd(error: FinishedRecord["error"]): RunEndLabels {
  const detail = showInvisibleCharacters(error?.message ?? "", longestDetail) || null;
  const base = { detail, isError: true };
  if (error?.code === "context_length_exceeded")
    return {
      ...base,
      title: "The prompt is too long for this model.",
      next: "Shorten the prompt, or choose a model with a longer context. Then press Run.",
    };
  if (error?.code === "mod_failed")
    return {
      ...base,
      title: "A mod failed, and the run ended.",
      next: "Correct the mod or switch it off, then press Run. The setting “When a mod fails” lets a run continue without the mod.",
    };
  if (error && error.mod !== null)
    return {
      ...base,
      title: "A mod ended the run with an error.",
      next: "Change the prompt or the mod, then press Run.",
    };
  return {
    ...base,
    title: "The run ended with an error.",
    next: "Press Run to try again. If the error occurs again, choose another model.",
  };
}
