/** Says which tokens are not drawn while removed text is folded: each removed span then shows only its first token. */
import type { TokenRange } from "../../../core/trace/model/selection.ts";
import { noIndex } from "../../../core/trace/model/token-table.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";

/** Whether no token of the range is drawn. Tokens outside removed spans, the first token of each span, and the selected token are drawn. */
export function isFoldedRemovedRange(
  { tokens }: TraceModel,
  range: TokenRange,
  selected: number | null,
): boolean {
  const { removedBy } = tokens;
  for (let index = range.first; index < Math.min(range.end, removedBy.length); index += 1) {
    const span = removedBy[index] ?? noIndex;
    if (span === noIndex || span !== removedBy[index - 1] || index === selected) return false;
  }
  return true;
}
