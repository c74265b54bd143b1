/** The parts of the text that are not drawn while removed text is folded away. */
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import { none } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

/** Whether nothing is shown of these tokens: of each removed span, its first token is, and so is the selected one. */
export function isFoldedAway({ tokens }: TraceModel, range: TokenRange, selected: number | null): boolean {
  const { removedBy } = tokens;
  for (let index = range.first; index < Math.min(range.end, removedBy.length); index += 1) {
    const span = removedBy[index] ?? none;
    if (span === none || span !== removedBy[index - 1] || index === selected) return false;
  }
  return true;
}
