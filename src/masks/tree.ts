/** The texts of tokens as one tree, flat and in preorder, so that a walk is a loop over typed arrays. */

/** The bytes of all tokens, one after the other: token t has `bytes[start[t] .. start[t + 1])`; none where it may not be chosen. */
export interface TokenTexts {
  readonly bytes: Uint8Array;
  readonly start: Int32Array;
}

/** Nodes are in preorder, without the root; each stands for a first or further byte of some token. */
export interface Tree {
  readonly size: number;
  /** Byte of node i, plus 256 times its depth (1 for a first byte); 0 behind the last node. */
  readonly head: Int32Array;
  /** The node behind the subtree of node i. */
  readonly after: Int32Array;
  /** The token that ends at node i; -1 where none does. */
  readonly token: Int32Array;
  /** The node of each first byte; -1 where no token begins with it. */
  readonly first: Int32Array;
}

/** @param order tokens in the order of their bytes, no two of them with the same bytes. */
export function buildTree({ bytes, start }: TokenTexts, order: Int32Array): Tree {
  // A node for each byte would be too many: tokens share their beginnings.
  const head = new Int32Array(bytes.length + 1);
  const after = new Int32Array(bytes.length);
  const token = new Int32Array(bytes.length).fill(-1);
  const first = new Int32Array(256).fill(-1);
  const open = new Int32Array(longestOf({ bytes, start }, order) + 1);
  let size = 0;
  let depthBefore = 0;
  let from = 0;
  for (const each of order) {
    const at = start[each] as number;
    const length = (start[each + 1] as number) - at;
    const shared = sharedLength(bytes, from, depthBefore, at, length);
    for (let depth = shared + 1; depth <= depthBefore; depth++) after[open[depth] as number] = size;
    if (shared === 0) first[bytes[at] as number] = size;
    for (let depth = shared + 1; depth <= length; depth++) {
      open[depth] = size;
      head[size++] = (bytes[at + depth - 1] as number) | (depth << 8);
    }
    token[size - 1] = each;
    from = at;
    depthBefore = length;
  }
  for (let depth = 1; depth <= depthBefore; depth++) after[open[depth] as number] = size;
  return {
    size,
    head: head.slice(0, size + 1),
    after: after.slice(0, size),
    token: token.slice(0, size),
    first,
  };
}

function sharedLength(bytes: Uint8Array, a: number, aLength: number, b: number, bLength: number): number {
  const most = Math.min(aLength, bLength);
  let shared = 0;
  while (shared < most && bytes[a + shared] === bytes[b + shared]) shared++;
  return shared;
}

function longestOf({ start }: TokenTexts, order: Int32Array): number {
  let longest = 0;
  for (const each of order)
    longest = Math.max(longest, (start[each + 1] as number) - (start[each] as number));
  return longest;
}

/** The tree of the tokens whose flag in `wanted` is not 0: a part of the nodes of `tree`. */
export function filterTree(tree: Tree, wanted: Uint8Array): Tree {
  const { size, head, after, token } = tree;
  // Backwards, a node is kept when its token or a node below it is.
  const kept = new Uint8Array(size);
  const open = new Uint8Array(256 * 256);
  let count = 0;
  for (let node = size - 1; node >= 0; node--) {
    const depth = (head[node] as number) >>> 8;
    const own = token[node] as number;
    const keep = open[depth + 1] === 1 || (own >= 0 && wanted[own] !== 0);
    open[depth + 1] = 0;
    if (!keep) continue;
    open[depth] = 1;
    kept[node] = 1;
    count++;
  }
  const place = new Int32Array(size + 1);
  const newHead = new Int32Array(count + 1);
  const newAfter = new Int32Array(count);
  const newToken = new Int32Array(count);
  const first = new Int32Array(256).fill(-1);
  let next = 0;
  for (let node = 0; node < size; node++) {
    place[node] = next;
    if (kept[node] === 0) continue;
    const own = token[node] as number;
    newHead[next] = head[node] as number;
    newAfter[next] = after[node] as number;
    newToken[next] = own >= 0 && wanted[own] !== 0 ? own : -1;
    if ((head[node] as number) >>> 8 === 1) first[(head[node] as number) & 255] = next;
    next++;
  }
  place[size] = next;
  for (let node = 0; node < count; node++) newAfter[node] = place[newAfter[node] as number] as number;
  return { size: count, head: newHead, after: newAfter, token: newToken, first };
}

/** Tokens in the order of their bytes, a shorter one before those that it begins; equal ones in the order of their ids. */
export function sortTokens(texts: TokenTexts, tokens: Int32Array): Int32Array {
  const sorted = tokens.slice();
  sortRange(texts, sorted, 0, sorted.length, 0);
  return sorted;
}

/** Four bytes are looked at at once: digits to base 257 (0: no byte left), with the token's place below them, are exact in a double. */
const PLACES = 2 ** 20;

/** Up to this many tokens are put in place one by one. */
const FEW = 16;

/** By the bytes from `depth` on; those before are the same for all. Tokens with equal bytes stay in their order. */
function sortRange(texts: TokenTexts, tokens: Int32Array, from: number, to: number, depth: number): void {
  const { bytes, start } = texts;
  const count = to - from;
  if (count <= FEW) {
    sortFew(texts, tokens, from, to, depth);
    return;
  }
  const keys = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const token = tokens[from + index] as number;
    const end = start[token + 1] as number;
    let key = 0;
    let at = (start[token] as number) + depth;
    for (let digit = 0; digit < 4; digit++, at++)
      key = key * 257 + (at < end ? (bytes[at] as number) + 1 : 0);
    keys[index] = key * PLACES + index;
  }
  keys.sort();
  const before = tokens.slice(from, to);
  let runStart = 0;
  let runKey = -1;
  for (let index = 0; index <= count; index++) {
    const key = index < count ? Math.floor((keys[index] as number) / PLACES) : -1;
    if (key !== runKey) {
      // Its last digit is not 0: there may be further bytes.
      if (index - runStart > 1 && runKey % 257 !== 0)
        sortRange(texts, tokens, from + runStart, from + index, depth + 4);
      runStart = index;
      runKey = key;
    }
    if (index < count) tokens[from + index] = before[(keys[index] as number) - key * PLACES] as number;
  }
}

function sortFew(
  { bytes, start }: TokenTexts,
  tokens: Int32Array,
  from: number,
  to: number,
  depth: number,
): void {
  for (let index = from + 1; index < to; index++) {
    const token = tokens[index] as number;
    const at = (start[token] as number) + depth;
    const length = (start[token + 1] as number) - at;
    let place = index;
    for (; place > from; place--) {
      const other = tokens[place - 1] as number;
      const otherAt = (start[other] as number) + depth;
      const otherLength = (start[other + 1] as number) - otherAt;
      const shared = sharedLength(bytes, at, length, otherAt, otherLength);
      const less =
        shared < length && shared < otherLength
          ? (bytes[at + shared] as number) < (bytes[otherAt + shared] as number)
          : length < otherLength;
      if (!less) break;
      tokens[place] = other;
    }
    tokens[place] = token;
  }
}
