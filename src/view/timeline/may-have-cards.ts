/** Whether what draws a run's tool calls or its JSON has to be fetched: apart, since most answers are prose. Pure. */
import type { TraceModel } from "../../core/trace/trace-model.ts";

/** False before a run has ended, and for an answer in prose. */
export function mayHaveCards({ finished }: TraceModel): boolean {
  return finished !== null && (finished.toolCalls.length > 0 || /^\s*[{[]/.test(finished.text));
}
