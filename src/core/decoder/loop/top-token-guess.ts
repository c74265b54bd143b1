/**
 * Counts how often the most likely token of a step was taken, to decide whether the pass that reads it may begin
 * early. A pass that turns out to be useless costs its time, because the next pass waits behind it. The class counts
 * tokens and never looks at a clock.
 */

/**
 * After a token that was not the most likely, so many most likely tokens in a row must be chosen before a pass begins early.
 */
const shortest = 4;
const longest = 32;

export class TopTokenStreak {
  /** How many chosen tokens in a row were the most likely. A request starts as if it had enough. */
  #inARow = shortest;
  /**
   * The required number of most likely tokens in a row. Each wasted pass doubles the number, so that few passes are wasted;
   * a long streak reduces it again.
   */
  #needed = shortest;
  #isExpected = false;

  /** Counts a chosen token. */
  note(isTopToken: boolean): void {
    if (!isTopToken && this.#isExpected) this.#needed = Math.min(longest, 2 * this.#needed);
    this.#inARow = isTopToken ? this.#inARow + 1 : 0;
    if (this.#inARow > longest) this.#needed = shortest;
    this.#isExpected = false;
  }

  /** Whether the loop expects to choose the most likely token of the next pass. The result is valid until the next `note`. */
  expect(): boolean {
    this.#isExpected = this.#inARow >= this.#needed;
    return this.#isExpected;
  }
}
