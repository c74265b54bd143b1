/**
 * Distinguishes a counterfactual token that was in the text until a mod removed it from a counterfactual token that never was.
 */
import { none } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";
import type { TokenRow } from "./trace-view.ts";

/** Whether the model wrote the counterfactual and a mod removed it: then the counterfactual stands in the text, struck out. */
export function replacesCounterfactual(
  { spans, tokens }: TraceModel,
  { counterfactual, replaces }: TokenRow,
): boolean {
  const [removed = none] = spans[replaces ?? none]?.removed ?? [];
  return counterfactual !== null && tokens.text[removed] === counterfactual.text;
}
