/** Applies masks to logits. */

/** Logits as numbers, one for each token. */
export type Logits = Float32Array | Float64Array;

/**
 * Sets the logits of all tokens that are not in the mask to minus infinity, in place.
 * @param logits of one sequence; may have more entries than the vocabulary, which are padding and ruled out, or fewer.
 * @param mask bit `t & 31` of word `t >> 5` says whether token t may come next.
 * @param alsoAllowed tokens that stay as they are though they are not in the mask: those that end the sequence.
 */
export function applyMask(logits: Logits, mask: Uint32Array, alsoAllowed: readonly number[] = []): void {
  const kept = alsoAllowed.map((token) => logits[token]);
  const never = Number.NEGATIVE_INFINITY;
  for (let word = 0; word < mask.length; word++) {
    let refused = ~(mask[word] as number);
    if (refused === 0) continue;
    const first = word << 5;
    if (refused === -1) {
      logits.fill(never, first, first + 32);
      continue;
    }
    while (refused !== 0) {
      const lowest = refused & -refused;
      logits[first + 31 - Math.clz32(lowest)] = never;
      refused ^= lowest;
    }
  }
  logits.fill(never, mask.length * 32);
  for (const [index, token] of alsoAllowed.entries()) {
    const logit = kept[index];
    if (logit !== undefined) logits[token] = logit;
  }
}
