/** Sorts tokens by their bytes. That is the order in which a tree of the tokens has them in preorder, so a tree of any of the tokens is built in one pass. */

/** The bytes of all tokens in a row: token t has `bytes[start[t] .. start[t + 1])`; no bytes if the token may not be chosen. */
export interface TokenTexts {
  readonly bytes: Uint8Array;
  readonly start: Int32Array;
}

export interface OrderedTexts {
  readonly texts: TokenTexts;
  /** Tokens that have bytes; of those with the same bytes, only the first. */
  readonly order: Int32Array;
  /** `shared[i]`: the number of bytes at the beginning that `order[i]` and `order[i - 1]` have in common. */
  readonly shared: Int32Array;
  /** Pairs: a token of `order`, and another with the same bytes. */
  readonly byteIdenticalTokens: Int32Array;
  /** The number of nodes in a tree of all tokens of `order`. */
  readonly nodes: number;
  /** The number of bytes of the longest token. */
  readonly longest: number;
}

/**
 * A sort key, from high bits to low bits: a piece of five bytes of a text, the number of bytes of the piece (one more if the text
 * continues), and the number of the token.
 */
const PIECE = 5;
const LEFT_SHIFT = 21;
const NUMBER_MASK = 2 ** LEFT_SHIFT - 1;

/** `textMasks[left]`: selects, of four bytes that were read, those that belong to a text with `left` bytes left. */
const textMasks = [0, 0xff_00_00_00, 0xff_ff_00_00, 0xff_ff_ff_00, -1, -1, -1];

/** @throws RangeError for more tokens than a key can tell apart: about two million. */
export function orderTexts(texts: TokenTexts): OrderedTexts {
  const { start } = texts;
  if (start.length > NUMBER_MASK) throw new RangeError(`A vocabulary has at most ${NUMBER_MASK} tokens.`);
  const view = paddedView(texts.bytes);
  const order = sortTokens(texts, view);
  const shared = new Int32Array(order.length);
  const byteIdenticalTokens: number[] = [];
  let size = 0;
  let nodes = 0;
  let longest = 0;
  let before = 0;
  let lengthBefore = 0;
  for (let index = 0; index < order.length; index++) {
    const token = order[index] as number;
    const from = start[token] as number;
    const length = (start[token + 1] as number) - from;
    const most = Math.min(length, lengthBefore);
    const common = commonBytes(view, start[before] as number, from, most);
    if (common === length) {
      byteIdenticalTokens.push(before, token);
      continue;
    }
    nodes += length - common;
    if (length > longest) longest = length;
    order[size] = token;
    shared[size++] = common;
    before = token;
    lengthBefore = length;
  }
  return {
    texts,
    order: order.subarray(0, size),
    shared: shared.subarray(0, size),
    byteIdenticalTokens: Int32Array.from(byteIdenticalTokens),
    nodes,
    longest,
  };
}

/**
 * A radix sort by pieces of five bytes, the last piece first. The number of a token contains its place in the order of the
 * following pieces, so tokens with equal pieces stay in that order. The sort uses the engine's own sort of 64-bit numbers: a
 * vocabulary is read once, before the engine optimizes our code.
 */
function sortTokens(texts: TokenTexts, view: DataView): Int32Array {
  const { last, before } = byPieces(texts);
  const keys = new BigUint64Array(before.length);
  // The two halves of each key. The low half comes first: all machines with browsers are little-endian.
  const halves = new Uint32Array(keys.buffer);
  let order = new Int32Array(before.length);
  let sorted = new Int32Array(before.length);
  let count = 0;
  for (let piece = last.length - 1; piece >= 0; piece--) {
    const goOn = count;
    for (let token = last[piece] as number; token >= 0; token = before[token] as number)
      order[count++] = token;
    writeKeys(halves, view, texts.start, { order, count, goOn, depth: piece * PIECE });
    keys.subarray(0, count).sort();
    for (let place = 0; place < count; place++) {
      const low = halves[2 * place] as number;
      const number = low & NUMBER_MASK;
      sorted[place] = ((low >>> LEFT_SHIFT) & 7) > PIECE ? (order[number] as number) : number;
    }
    [order, sorted] = [sorted, order];
  }
  return order.subarray(0, count);
}

/** The tokens that have a piece at a depth. */
interface Pieces {
  readonly order: Int32Array;
  readonly count: number;
  /** The first `goOn` tokens of `order` have another piece after this one, and are sorted by their later pieces. */
  readonly goOn: number;
  readonly depth: number;
}

/**
 * Writes the keys. A text that ends comes before a text that continues with a byte 0; among tokens with equal bytes, the lowest
 * comes first.
 */
function writeKeys(halves: Uint32Array, view: DataView, start: Int32Array, pieces: Pieces): void {
  const { order, count, goOn, depth } = pieces;
  for (let place = 0; place < count; place++) {
    const token = order[place] as number;
    const at = (start[token] as number) + depth;
    const left = place < goOn ? PIECE + 1 : (start[token + 1] as number) - at;
    const fifth = left < PIECE ? 0 : view.getUint8(at + 4);
    halves[2 * place] = (fifth << 24) | (left << LEFT_SHIFT) | (place < goOn ? place : token);
    halves[2 * place + 1] = view.getInt32(at) & (textMasks[left] as number);
  }
}

/**
 * Lists of the tokens with n + 1 pieces: `last[n]` is the list's last token, `before[token]` the token before it; -1 if there is
 * none.
 */
function byPieces({ start }: TokenTexts): { last: number[]; before: Int32Array } {
  const last: number[] = [];
  const before = new Int32Array(start.length - 1);
  for (let token = 0; token < before.length; token++) {
    const length = (start[token + 1] as number) - (start[token] as number);
    if (length === 0) continue;
    const piece = Math.floor((length - 1) / PIECE);
    while (last.length <= piece) last.push(-1);
    before[token] = last[piece] as number;
    last[piece] = token;
  }
  return { last, before };
}

/** A view with some bytes after the last text, because pieces are always read whole. */
function paddedView(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(bytes.length + PIECE);
  padded.set(bytes);
  return new DataView(padded.buffer);
}

/**
 * The number of bytes at the beginning that two texts have in common. Both have at least `most` bytes. The first four bytes
 * are compared at once, since most pairs share fewer.
 */
function commonBytes(view: DataView, a: number, b: number, most: number): number {
  for (let common = 0; common < most; common += 4) {
    const difference = view.getInt32(a + common) ^ view.getInt32(b + common);
    if (difference !== 0) return Math.min(common + (Math.clz32(difference) >>> 3), most);
  }
  return most;
}
