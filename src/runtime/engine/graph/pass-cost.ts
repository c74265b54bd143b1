/**
 * The cost of a pass of several tokens on a device, as a multiple of a pass of one token. It decides whether draft tokens
 * pay off (decoder/kv-cache/prompt-lookup.ts).
 */
import type { GraphSummary } from "../onnx/graph-summary.ts";

/**
 * Operators that choose one scale for all tokens of a pass, so that the logits of a token depend on the other tokens of the
 * pass.
 */
const mixing = ["DynamicQuantizeLinear", "com.microsoft.DynamicQuantizeMatMul"];

type Summary = Pick<GraphSummary, "cache" | "states" | "operators" | "lastLogitsOnly">;

/**
 * Whether the graph can use draft tokens. False if a pass does not give one row for each token, if these rows differ from those
 * of single-token passes, or if the cache cannot be shortened by a counter: half of all draft tokens are removed again.
 */
function hasCheapDraftTokens({ cache, states, operators, lastLogitsOnly }: Summary): boolean {
  return (
    cache === "shared-cache" &&
    states === 0 &&
    !lastLogitsOnly &&
    !mixing.some((operator) => operators.has(operator))
  );
}

/**
 * On WebAssembly, a pass waits for the weights to come from memory, and each further token adds arithmetic. SmolLM2-135M,
 * float32, processor time of one thread (Node 20): 1 token 25 ms, 2 31, 4 55, 8 103, 16 196. In smaller models a second
 * token costs less. Undefined for graphs that cannot use draft tokens.
 */
export function passCostOnWasm(summary: Summary): ((tokens: number) => number) | undefined {
  return hasCheapDraftTokens(summary) ? (tokens) => (tokens === 1 ? 1 : 0.25 + tokens / 2) : undefined;
}

/**
 * Up to this many tokens, a pass on a GPU is assumed to cost little more than a pass of one token, because it waits for the
 * weights.
 */
const cheapTokens = 8;

/**
 * An assumption, not a measurement: on WebGPU, a pass of a few tokens reads the same weights as a pass of one token, which takes
 * most of the time; each further token adds as much as on WebAssembly. Long passes use other kernels than single tokens on
 * WebGPU, and their float16 sums may lead to another token: so draft tokens are used only if the request asks for them
 * (`LanguageModel.isPassCostAssumed`). Undefined in the same cases.
 */
export function passCostOnWebGpu(summary: Summary): ((tokens: number) => number) | undefined {
  if (!hasCheapDraftTokens(summary)) return undefined;
  return (tokens) => 1 + (tokens - 1) / 16 + Math.max(0, tokens - cheapTokens) / 2;
}
