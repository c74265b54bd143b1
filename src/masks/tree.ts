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

/** What is built first: nodes as they come, the root being 0, each with a list of its children. */
interface Draft {
  readonly size: number;
  readonly byte: Uint8Array;
  /** 0: none. */
  readonly child: Int32Array;
  readonly sibling: Int32Array;
  readonly token: Int32Array;
  readonly twins: number[];
}

/**
 * The tree of all tokens that have bytes, or of those of them whose flag in `wanted` is not 0. `twins` are pairs: a token of the
 * tree, and another with the same bytes.
 */
export function buildTree(texts: TokenTexts, wanted?: Uint8Array): { tree: Tree; twins: Int32Array } {
  const draft = insertAll(texts, wanted);
  return { tree: inPreorder(draft), twins: Int32Array.from(draft.twins) };
}

/** No sorting, which would take twice as long: the child of a node for a byte is found in a hash table of all nodes. */
function insertAll({ bytes, start }: TokenTexts, wanted?: Uint8Array): Draft {
  const most = 1 + (wanted ? countBytes(start, wanted) : bytes.length);
  const byte = new Uint8Array(most);
  const child = new Int32Array(most);
  const sibling = new Int32Array(most);
  const parent = new Int32Array(most);
  const token = new Int32Array(most).fill(-1);
  const twins: number[] = [];
  const bits = Math.ceil(Math.log2(most * 1.5));
  const limit = 2 ** bits - 1;
  const table = new Int32Array(limit + 1);
  let size = 1;
  for (let each = 0; each + 1 < start.length; each++) {
    const from = start[each] as number;
    const to = start[each + 1] as number;
    if (from === to || wanted?.[each] === 0) continue;
    let node = 0;
    for (let at = from; at < to; at++) {
      const next = bytes[at] as number;
      let place = Math.imul(node * 256 + next, 0x9e3779b1) >>> (32 - bits);
      let found = table[place] as number;
      while (found !== 0 && (parent[found] !== node || byte[found] !== next)) {
        place = (place + 1) & limit;
        found = table[place] as number;
      }
      if (found === 0) {
        found = size++;
        table[place] = found;
        parent[found] = node;
        byte[found] = next;
        sibling[found] = child[node] as number;
        child[node] = found;
      }
      node = found;
    }
    if (token[node] === -1) token[node] = each;
    else twins.push(token[node] as number, each);
  }
  return { size, byte, child, sibling, token, twins };
}

function countBytes(start: Int32Array, wanted: Uint8Array): number {
  let count = 0;
  for (let each = 0; each < wanted.length; each++) {
    if (wanted[each] !== 0) count += (start[each + 1] as number) - (start[each] as number);
  }
  return count;
}

function inPreorder({ size: nodes, byte, child, sibling, token: drafted }: Draft): Tree {
  const size = nodes - 1;
  const head = new Int32Array(size + 1);
  const after = new Int32Array(size);
  const token = new Int32Array(size);
  const first = new Int32Array(256).fill(-1);
  // The way down to here: drafted nodes, and their places.
  const path: number[] = [];
  const places: number[] = [];
  let next = 0;
  let node = child[0] as number;
  while (node !== 0) {
    if (path.length === 0) first[byte[node] as number] = next;
    path.push(node);
    places.push(next);
    head[next] = (byte[node] as number) | (path.length << 8);
    token[next++] = drafted[node] as number;
    node = child[node] as number;
    while (node === 0 && path.length > 0) {
      after[places.pop() as number] = next;
      node = sibling[path.pop() as number] as number;
    }
  }
  return { size, head, after, token, first };
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
