/**
 * Decides when a stream of the server is worth its cost, and how long it may be.
 *
 * A stream saves a request for each token that the loop takes from it. If the loop wants another token, the stream is cut: the
 * server has computed two or three tokens for nothing. So a stream that is cut early is followed by single steps, until the loop took
 * the server's token some times in a row.
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
 * Tokens of a stream. A server that does not notice a cut computes at most so many for nothing. Each further stream of an answer is a
 * request, which a quick server answers later than it would have gone on.
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
