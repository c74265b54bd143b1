/** How a run ended, in words. Pure. */
import type { FinishedRecord } from "../../core/trace/format/format.ts";

export function runEndSentence({
  reason,
  lengthLimit,
}: Pick<FinishedRecord, "reason" | "lengthLimit">): string {
  return reason === "length" ? limits[lengthLimit ?? "maxTokens"] : reasons[reason];
}

const limits: Readonly<Record<NonNullable<FinishedRecord["lengthLimit"]>, string>> = {
  maxTokens: "Ended: the token limit was reached.",
  maxSteps: "Ended: a mod’s step limit was reached.",
  context: "Ended: the model’s context is full. Shorten the prompt.",
};

const reasons: Readonly<Record<Exclude<FinishedRecord["reason"], "length">, string>> = {
  stop: "Ended: the model finished.",
  forced: "Ended: a mod set the output.",
  tool_calls: "Ended: tools were called.",
  error: "Ended with an error.",
  budget: "Ended: the limit of forward passes was reached.",
  cancelled: "Stopped.",
};
