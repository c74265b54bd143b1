/** Takes the result of a speculative pass (`speculative-pass.ts`), or discards the pass. */
import type { PassResult } from "../kv-cache/forward-pass.ts";
import type { EditableLogits } from "../ports/logits.ts";
import type { DecodeState } from "./decode-state.ts";

/** A speculative pass that the loop uses. */
export interface TakenPass {
  /** The number of tokens before the pass. */
  readonly known: number;
  readonly passResult: PassResult;
  /** The last row of logits that the pass computed. */
  readonly editableLogits: EditableLogits;
}

/** Returns the speculative pass for use by the loop; null if there is none. @throws the model's error */
export function takeSpeculativePass(state: DecodeState): TakenPass | null {
  const { pass: speculativePass } = state.speculation;
  state.speculation.pass = null;
  if (!speculativePass?.result) return null;
  if ("error" in speculativePass.result) throw speculativePass.result.error;
  const { known, remembered, result } = speculativePass;
  remembered.forget();
  return { known, ...result };
}

/** Discards the speculative pass because the output changes. The KV cache is then as before the pass. */
export function discardSpeculativePass(state: DecodeState): void {
  state.speculation.pass?.remembered.takeBack();
  state.speculation.pass = null;
}
