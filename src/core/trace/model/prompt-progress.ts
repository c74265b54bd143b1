/** How much of its prompt a run has read. A slow device reads a prompt in many passes. */
import type { TraceModel } from "./trace-model.ts";

export interface PromptProgress {
  /** Tokens that the model has read. */
  readonly read: number;
  /** Tokens of the prompt. */
  readonly total: number;
}

/** Null before the prompt's tokens are known, and after the model has read all of them. */
export function promptProgress({ records }: Pick<TraceModel, "records">): PromptProgress | null {
  const last = records.at(-1);
  if (last?.type === "prefilled") return { read: 0, total: last.tokens.length };
  if (last?.type !== "forwardPass") return null;
  const prefilled = records.find((record) => record.type === "prefilled");
  const total = prefilled?.tokens.length ?? 0;
  return last.contextLength < total ? { read: last.contextLength, total } : null;
}
