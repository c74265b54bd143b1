/**
 * Counts how often the most likely token of a step was taken, to decide whether the pass that reads it may begin
 * early. A pass that turns out to be useless costs its time, because the next pass waits behind it. The class counts
 * tokens and never looks at a clock.
 */

/** Tokens in a row that have to be the most likely after one that was not. */
const shortest = 4;
const longest = 32;

export class TopTokenGuess {
  /** Tokens in a row that were. Believed before the first. */
  #inARow = shortest;
  /** Twice as many after each pass that was lost, so that no habit of a mod costs more than a few; few again after a long row. */
  #needed = shortest;
  #isExpected = false;

  /** A token was taken; whether it was the most likely. */
  note(isTopToken: boolean): void {
    if (!isTopToken && this.#isExpected) this.#needed = Math.min(longest, 2 * this.#needed);
    this.#inARow = isTopToken ? this.#inARow + 1 : 0;
    if (this.#inARow > longest) this.#needed = shortest;
    this.#isExpected = false;
  }

  /** Whether the loop expects to take the most likely token of the next pass. The result counts until the next `note`. */
  expect(): boolean {
    this.#isExpected = this.#inARow >= this.#needed;
    return this.#isExpected;
  }
}
