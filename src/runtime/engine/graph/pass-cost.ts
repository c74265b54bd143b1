/**
 * The cost of a pass of several tokens on a device, in passes of one. It decides whether draft tokens pay off
 * (decoder/kv-cache/prompt-lookup.ts).
 */
import type { GraphSummary } from "../onnx/inspect.ts";

/** Operators that choose one scale for all tokens of a pass: there the logits after a token depend on what is read with it. */
const mixing = ["DynamicQuantizeLinear", "com.microsoft.DynamicQuantizeMatMul"];

type Summary = Pick<GraphSummary, "cache" | "states" | "operators" | "lastLogitsOnly">;

/**
 * False for graphs that give no row for each token, or other rows together than one by one, or whose cache is not cut back by a
 * counter: half of the drafted tokens are taken back.
 */
function takesDrafts({ cache, states, operators, lastLogitsOnly }: Summary): boolean {
  return (
    cache === "shared-cache" &&
    states === 0 &&
    !lastLogitsOnly &&
    !mixing.some((operator) => operators.has(operator))
  );
}

/**
 * On WebAssembly one token waits for the weights to come from memory, and each token more adds its arithmetic. SmolLM2-135M,
 * float32, processor time of one thread (Node 20): 1 token 25 ms, 2 31, 4 55, 8 103, 16 196. Smaller models pay less for a second
 * token. Undefined for graphs that take no drafts.
 */
export function passCostOnWasm(summary: Summary): ((tokens: number) => number) | undefined {
  return takesDrafts(summary) ? (tokens) => (tokens === 1 ? 1 : 0.25 + tokens / 2) : undefined;
}

/** Tokens up to which a pass on a GPU is taken to wait for the weights, as a pass of one does. */
const cheapTokens = 8;

/**
 * Assumed, not measured: on WebGPU a pass of a few tokens reads the same weights as a pass of one, which is what it waits for; each
 * further token adds as much as on WebAssembly. There long passes take other kernels than single tokens, whose float16 sums
 * may choose another token: so drafts are made only where they are asked for (`LanguageModel.isPassCostAssumed`). Undefined likewise.
 */
export function passCostOnWebGpu(summary: Summary): ((tokens: number) => number) | undefined {
  if (!takesDrafts(summary)) return undefined;
  return (tokens) => 1 + (tokens - 1) / 16 + Math.max(0, tokens - cheapTokens) / 2;
}
