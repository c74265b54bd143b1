/** Differences between two rows of the same step. */
import { distributionOf } from "../../../src/core/decoder/logits/distribution.ts";

/** The largest difference of log-probabilities among the `count` most likely tokens of the first row. */
export function worstOfTop(local: Float32Array, remote: ReadonlyMap<number, number>, count: number): number {
  const { logSumExp } = distributionOf(local);
  const top = Array.from(local.keys())
    .sort((a, b) => (local[b] as number) - (local[a] as number))
    .slice(0, count);
  return Math.max(
    ...top.map((token) =>
      Math.abs((local[token] as number) - logSumExp - (remote.get(token) ?? Number.NEGATIVE_INFINITY)),
    ),
  );
}

export function asMap(row: Float32Array): ReadonlyMap<number, number> {
  return new Map(Array.from(row, (logprob, token) => [token, logprob]));
}
