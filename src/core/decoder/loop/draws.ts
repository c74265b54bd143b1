/**
 * The random draws of a request. A draw belongs to a place in the text and to how often that place was drawn, not to a
 * counter of steps. Hidden tokens have draws of their own, so that a hidden question leaves those of the text untouched.
 *
 * Example: token 5 is drawn, taken back and drawn again: the first and the second draw of place 5. A hidden question that
 * begins at place 5 draws its answer at place 9 from the hidden draws; once it is erased, place 5 has its third draw of
 * the text's own, as if nobody had asked. Asked again there, the question has the second hidden draw of place 9.
 */
import { randomBits, uniformRandom } from "../../base/random.ts";

export class SeededDraws {
  readonly #seed: number;
  /** For each place in the text: how many draws were made there. */
  readonly #kept: number[] = [];
  readonly #hidden: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The next draw at a place: uniform in [0, 1). `place`: the number of tokens before it in the output. */
  peek(place: number, isHidden: boolean): number {
    const times = this.#counts(isHidden)[place] ?? 0;
    return uniformRandom(seedOf(this.#seed, times, isHidden), place);
  }

  /** Uses the next draw of a place; the draw after it is a new random number. */
  take(place: number, isHidden: boolean): number {
    const draw = this.peek(place, isHidden);
    const counts = this.#counts(isHidden);
    counts[place] = (counts[place] ?? 0) + 1;
    return draw;
  }

  /** Takes back the last use of a draw: the same draw is the next one at this place again. */
  putBack(place: number, isHidden: boolean): void {
    const counts = this.#counts(isHidden);
    counts[place] = Math.max(0, (counts[place] ?? 0) - 1);
  }

  #counts(isHidden: boolean): number[] {
    return isHidden ? this.#hidden : this.#kept;
  }
}

/**
 * Two numbers that are mixed into the seed, so that hidden draws and repeated draws differ from the first draws of the text.
 */
const KEPT = 0x6b657074;
const HIDDEN = 0x68696464;

function seedOf(seed: number, times: number, isHidden: boolean): number {
  if (isHidden) return randomBits(randomBits(seed, HIDDEN), times);
  return times === 0 ? seed : randomBits(randomBits(seed, KEPT), times);
}
