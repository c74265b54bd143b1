/** Explains why "token 18 of 103" stands beside "100 tokens": the other 3 were removed, or belong to hidden questions. */
import type { TraceModel } from "../../core/trace/model/trace-model.ts";
import { formatCount } from "../ui/format.ts";
import { authorshipOf } from "./ribbon/ribbon-cells.ts";

/** " (100 in the text)", as the summary above the text counts them. Empty if all tokens are in the text. */
export function tokensInTextNote(trace: TraceModel): string {
  return trace.totals.removed === 0 ? "" : ` (${formatCount(authorshipOf(trace).output)} in the text)`;
}
