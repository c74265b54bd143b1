/** The texts of all tokens as one tree, flat and in preorder, so that a walk is a loop over typed arrays. */

/** What is needed of a tokenizer: the model's own, or any that can say the bytes of its tokens. */
export interface TokenBytes {
  readonly vocabSize: number;
  readonly eosTokenIds: readonly number[];
  /** Empty for special tokens. */
  tokenBytes(token: number): Uint8Array;
  /** The tokens that the tokenizer itself writes for a text. */
  encode(text: string): number[];
}

export interface Vocabulary {
  readonly size: number;
  /** 32-bit words of a mask: `ceil(size / 32)`. */
  readonly words: number;
  readonly endOfSequence: readonly number[];
  /** Of each token; empty where it has none. Not to be changed. */
  readonly bytes: readonly Uint8Array[];
  readonly tree: Tree;
  encode(text: string): number[];
}

/** Node i > 0 has its byte, its depth (1 for a first byte), and the node after its subtree; node 0 is the root. */
export interface Tree {
  readonly byte: Uint8Array;
  readonly depth: Uint16Array;
  readonly after: Int32Array;
  /** Tokens that end at node i: `tokens[firstToken[i] .. firstToken[i + 1])`. */
  readonly firstToken: Int32Array;
  readonly tokens: Int32Array;
}

const vocabularies = new WeakMap<TokenBytes, Vocabulary>();

/** The vocabulary of a tokenizer, made once. */
export function vocabularyOf(tokenizer: TokenBytes): Vocabulary {
  const known = vocabularies.get(tokenizer);
  if (known) return known;
  const bytes = Array.from({ length: tokenizer.vocabSize }, (_, token) => tokenizer.tokenBytes(token));
  const special = new Set(tokenizer.eosTokenIds);
  const made: Vocabulary = {
    size: tokenizer.vocabSize,
    words: Math.ceil(tokenizer.vocabSize / 32),
    endOfSequence: [...tokenizer.eosTokenIds],
    bytes,
    tree: buildTree(bytes, special),
    encode: (text) => tokenizer.encode(text),
  };
  vocabularies.set(tokenizer, made);
  return made;
}

function buildTree(bytes: readonly Uint8Array[], left: ReadonlySet<number>): Tree {
  const order = bytes
    .flatMap((text, token) => (text.length > 0 && !left.has(token) ? [{ text, token }] : []))
    .sort((a, b) => compare(a.text, b.text) || a.token - b.token);
  const nodeBytes: number[] = [0];
  const depths: number[] = [0];
  const firstToken: number[] = [0];
  const tokens: number[] = [];
  let previous: Uint8Array = new Uint8Array(0);
  for (const { text, token } of order) {
    let shared = 0;
    while (shared < previous.length && shared < text.length && previous[shared] === text[shared]) shared++;
    for (let depth = shared; depth < text.length; depth++) {
      nodeBytes.push(text[depth] as number);
      depths.push(depth + 1);
      firstToken.push(tokens.length);
    }
    tokens.push(token);
    previous = text;
  }
  firstToken.push(tokens.length);
  const after = new Int32Array(depths.length);
  const open: number[] = [];
  for (let node = 0; node <= depths.length; node++) {
    const depth = depths[node] ?? 0;
    while (
      open.length > 0 &&
      (node === depths.length || (depths[open.at(-1) as number] as number) >= depth)
    ) {
      after[open.pop() as number] = node;
    }
    if (node < depths.length) open.push(node);
  }
  return {
    byte: Uint8Array.from(nodeBytes),
    depth: Uint16Array.from(depths),
    after,
    firstToken: Int32Array.from(firstToken),
    tokens: Int32Array.from(tokens),
  };
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
