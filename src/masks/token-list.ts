/** Tokens as a walk finds them. */
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

  /** Sets the bit of each. */
  mark(mask: Uint32Array): void {
    const { tokens, length } = this;
    for (let index = 0; index < length; index++) {
      const token = tokens[index] as number;
      (mask[token >> 5] as number) |= 1 << (token & 31);
    }
  }
}
