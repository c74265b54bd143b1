/** Texts as tokens, in every way in which the vocabulary can write them. */
import type { TokenBytes } from "../vocabulary/token-texts.ts";

interface Node {
  readonly after: Map<number, Node>;
  /** Tokens that end here. */
  readonly tokens: number[];
}

const splitters = new WeakMap<TokenBytes, TokenSplitter>();

export class TokenSplitter {
  readonly #root: Node = { after: new Map(), tokens: [] };
  readonly #tokenizer: TokenBytes;

  /** The splitter of a tokenizer, made once. */
  static of(tokenizer: TokenBytes): TokenSplitter {
    const known = splitters.get(tokenizer) ?? new TokenSplitter(tokenizer);
    splitters.set(tokenizer, known);
    return known;
  }

  private constructor(tokenizer: TokenBytes) {
    this.#tokenizer = tokenizer;
    for (let token = 0; token < tokenizer.vocabSize; token++) {
      if (tokenizer.eosTokenIds.includes(token)) continue;
      const text = tokenizer.tokenBytes(token);
      if (text.length === 0) continue;
      let at = this.#root;
      for (const byte of text) {
        const next = at.after.get(byte) ?? { after: new Map(), tokens: [] };
        at.after.set(byte, next);
        at = next;
      }
      at.tokens.push(token);
    }
  }

  /** The tokens with which the bytes may go on at `from`, the shortest first. */
  prefixes(bytes: Uint8Array, from: number): number[] {
    const found: number[] = [];
    let at: Node | undefined = this.#root;
    for (let index = from; index < bytes.length && at !== undefined; index++) {
      at = at.after.get(bytes[index] as number);
      if (at !== undefined) found.push(...at.tokens);
    }
    return found;
  }

  /** Tokens as short as can be: a byte each, wherever the vocabulary has it. */
  bytes(bytes: Uint8Array): number[] {
    return this.random(bytes, () => 0);
  }

  /**
   * The bytes as tokens, each drawn from the tokens that may come next.
   * @param draw returns a whole number from 0 to `count` - 1
   * @throws Error if no token begins with the next byte
   */
  random(bytes: Uint8Array, draw: (count: number) => number): number[] {
    const tokens: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const candidates = this.prefixes(bytes, at);
      const token = candidates[draw(candidates.length)];
      if (token === undefined) throw new Error(`No token begins with byte ${bytes[at]}.`);
      tokens.push(token);
      at += this.#tokenizer.tokenBytes(token).length;
    }
    return tokens;
  }
}
