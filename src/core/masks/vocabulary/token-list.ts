/** A growing list of the tokens that a walk finds. */
import { setToken } from "./token-bits.ts";

export class TokenList {
  tokens: Int32Array = new Int32Array(1024);
  length: number = 0;

  add(token: number): void {
    if (this.length === this.tokens.length) {
      const grown = new Int32Array(2 * this.length);
      grown.set(this.tokens);
      this.tokens = grown;
    }
    this.tokens[this.length++] = token;
  }

  /** Sets the bit of each token of the list. */
  mark(mask: Uint32Array): void {
    const { tokens, length } = this;
    for (let index = 0; index < length; index++) {
      setToken(mask, tokens[index] as number);
    }
  }
}
