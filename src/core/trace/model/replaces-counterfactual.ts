/**
 * Distinguishes a counterfactual token that was in the text until a mod removed it from a counterfactual token that never was.
 */
import { noIndex } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";
import { isEndToken, type TokenRow } from "./trace-view.ts";

/** Whether the model wrote the counterfactual and a mod removed it: then the counterfactual stands in the text, struck out. */
export function replacesCounterfactual(trace: TraceModel, { counterfactual, replaces }: TokenRow): boolean {
  const [removed = noIndex] = trace.spans[replaces ?? noIndex]?.removed ?? [];
  if (counterfactual === null) return false;
  return trace.tokens.text[removed] === counterfactual.text || isEndToken(trace, counterfactual, removed);
}
