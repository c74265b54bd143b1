/**
 * Decides whether to open a stream of the server, and how many tokens it may have. In a stream, the server sends token after
 * token as it would choose them, without a request for each. The loop may choose another token, for example under a mod's
 * mask. Then the stream is cut, and the server has computed two or three tokens for nothing. So after a stream that was cut
 * early, single steps (one request per token) follow until the loop has taken the server's token several times in a row.
 *
 * Example:
 *   at the start             a stream is worthwhile, of at most 256 tokens
 *   noteCut(2)               the stream gave 2 tokens, fewer than 8: single steps follow until 4 are taken in a row
 *   noteStep(true) 4 times   a stream is worthwhile again
 *   noteCut(3)               the second early cut: now 8 steps in a row are needed (then 16, 32, at most 64)
 *   noteStep(true) 8 times   a stream is worthwhile again
 *   noteWhole()              every token of the stream was taken: the next stream may have 512 tokens, the most
 *   noteCut(9)               a late cut: a stream stays worthwhile, of at most 256 tokens again
 */

/** A stream that gave at least so many tokens was worth its cost. */
const worthwhile = 8;
/**
 * After a stream that was cut early, the loop must choose this many tokens of the server in a row before the next stream
 * starts. The number doubles with each further stream that is cut early.
 */
const fewestInARow = 4;
const mostInARow = 64;
/**
 * Tokens of a stream. A server that does not notice a cut computes at most so many tokens for nothing. Each further stream of
 * an answer is a request, which a quick server answers later than it would have gone on.
 */
const shortest = 256;
const longest = 512;

export class StreamPolicy {
  #inARow = 0;
  #needed = 0;
  #length = shortest;

  /** The most tokens of the next stream. */
  get length(): number {
    return this.#length;
  }

  get isWorthwhile(): boolean {
    return this.#inARow >= this.#needed;
  }

  /** After a single step: whether the loop took the server's token. */
  noteStep(isTaken: boolean): void {
    this.#inARow = isTaken ? this.#inARow + 1 : 0;
  }

  /** The loop took every token of a stream. */
  noteWhole(): void {
    this.#needed = 0;
    this.#length = Math.min(longest, 2 * this.#length);
  }

  /** The loop wanted another token, or asked another question, after it had taken so many tokens of a stream. */
  noteCut(taken: number): void {
    this.#inARow = 0;
    this.#length = shortest;
    if (taken >= worthwhile) this.#needed = 0;
    else this.#needed = Math.min(mostInARow, Math.max(fewestInARow, 2 * this.#needed));
  }
}
