/** Whether what draws a run's tool calls or its JSON has to be fetched: apart, since most answers are prose. Pure. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/** False before a run has ended, and for an answer in prose. */
export function mayHaveCards({ finished, request }: TraceModel): boolean {
  if (!finished || finished.toolCalls.length > 0) return finished !== null;
  // An answer with tools may be cut in a call, which begins anywhere.
  const isWithTools = request !== null && request.tools.length > 0;
  return (isWithTools ? /[{[<]/ : /^\s*[{[]/).test(finished.text);
}
