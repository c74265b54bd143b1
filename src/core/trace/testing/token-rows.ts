import type { TraceModel } from "../model/trace-model.ts";
import { type TokenRow, tokenRow } from "../model/trace-view.ts";

/** Every emitted token in the order of emission, removed ones included. */
export function tokenRows(model: TraceModel): readonly TokenRow[] {
  return model.tokens.token.map((_token, index) => tokenRow(model, index));
}
