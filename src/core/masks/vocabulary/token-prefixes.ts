/** The tokens of a vocabulary whose bytes begin with given bytes. */
import { setByteIdenticalTokens, setToken } from "./token-bits.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** Whether a token begins with these bytes and has more; false if `bytes` is empty. */
export function hasLongerToken(vocabulary: Vocabulary, bytes: Uint8Array): boolean {
  const node = nodeOf(vocabulary, bytes);
  return node >= 0 && (vocabulary.tree.after[node] ?? 0) > node + 1;
}

/** A mask of the tokens that begin with these bytes, or are these bytes; null if there is none, or if `bytes` is empty. */
export function tokensThatBeginWith(vocabulary: Vocabulary, bytes: Uint8Array): Uint32Array | null {
  const node = nodeOf(vocabulary, bytes);
  if (node < 0) return null;
  const { token, after } = vocabulary.tree;
  const mask = new Uint32Array(vocabulary.words);
  for (let below = node; below < (after[node] ?? 0); below++) {
    const each = token[below] ?? -1;
    if (each >= 0) setToken(mask, each);
  }
  setByteIdenticalTokens(vocabulary.byteIdenticalTokens, mask);
  return mask;
}

/** The node at which the bytes end; -1 if no token begins with them. */
function nodeOf({ tree }: Vocabulary, bytes: Uint8Array): number {
  let node = tree.first[bytes[0] ?? -1] ?? -1;
  for (let place = 1; place < bytes.length && node >= 0; place++) {
    const end = tree.after[node] ?? 0;
    const wanted = (bytes[place] ?? 0) | ((place + 1) << 8);
    let child = node + 1;
    while (child < end && tree.head[child] !== wanted) child = tree.after[child] ?? end;
    node = child < end ? child : -1;
  }
  return node;
}
