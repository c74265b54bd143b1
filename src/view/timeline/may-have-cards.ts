/** Says whether the code that draws tool calls or JSON is needed. A separate file, because most answers are prose. Pure. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";

/** False before a run has ended, and for an answer in prose. */
export function mayHaveAnswerCards({ finished, request }: TraceModel): boolean {
  if (!finished) return false;
  if (finished.toolCalls.length > 0) return true;
  // An answer with tools may be cut in a call, which begins anywhere.
  const isWithTools = request !== null && request.tools.length > 0;
  return (isWithTools ? /[{[<]/ : /^\s*[{[]/).test(finished.text);
}
