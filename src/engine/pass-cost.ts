/** What a pass of several tokens costs on a device, in passes of one: whether drafts are worth it (decoder/drafts.ts). */
import type { GraphSummary } from "./onnx/inspect.ts";

/** Operators that choose one scale for all tokens of a pass: there the logits after a token depend on what is read with it. */
const mixing = ["DynamicQuantizeLinear", "com.microsoft.DynamicQuantizeMatMul"];

/**
 * On WebAssembly one token waits for the weights to come from memory, and each token more adds its arithmetic. SmolLM2-135M,
 * float32, processor time of one thread (Node 20): 1 token 25 ms, 2 31, 4 55, 8 103, 16 196. Smaller models pay less for a second
 * token. Undefined for graphs that give no row for each token, or other rows together than one by one,
 * or whose cache is not cut back by a counter: half of the drafted tokens are taken back.
 *
 * WebGPU has none: there long passes take other kernels than single tokens, whose float16 sums may choose another token.
 */
export function passCostOnWasm({
  cache,
  states,
  operators,
  lastLogitsOnly,
}: Pick<GraphSummary, "cache" | "states" | "operators" | "lastLogitsOnly">):
  | ((tokens: number) => number)
  | undefined {
  if (
    cache !== "shared-cache" ||
    states > 0 ||
    lastLogitsOnly ||
    mixing.some((operator) => operators.has(operator))
  )
    return undefined;
  return (tokens) => (tokens === 1 ? 1 : 0.25 + tokens / 2);
}
