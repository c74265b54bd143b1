/** Whether a token is in a mask. A mask has one bit for each token, 32 bits in a word. */

export function hasToken(mask: Uint32Array, token: number): boolean {
  return (((mask[token >> 5] as number) >>> (token & 31)) & 1) === 1;
}

/** The lowest token ids of a mask, at most `most`. */
export function firstTokens(mask: Uint32Array, most: number): number[] {
  const tokens: number[] = [];
  for (let token = 0; token < mask.length * 32 && tokens.length < most; token++) {
    if (mask[token >> 5] === 0) token |= 31;
    else if (hasToken(mask, token)) tokens.push(token);
  }
  return tokens;
}

export function setToken(mask: Uint32Array, token: number): void {
  (mask[token >> 5] as number) |= 1 << (token & 31);
}

export function clearToken(mask: Uint32Array, token: number): void {
  (mask[token >> 5] as number) &= ~(1 << (token & 31));
}

/**
 * Gives tokens with the same bytes the same bit.
 * @param byteIdenticalTokens pairs: the first token with these bytes, and another one
 */
export function setByteIdenticalTokens(byteIdenticalTokens: Int32Array, mask: Uint32Array): void {
  for (let index = 0; index < byteIdenticalTokens.length; index += 2) {
    const duplicate = byteIdenticalTokens[index + 1] as number;
    if (hasToken(mask, byteIdenticalTokens[index] as number)) setToken(mask, duplicate);
    else clearToken(mask, duplicate);
  }
}
