/**
 * The random draws of a request. A draw belongs to a place in the text and to how often that place was drawn, not to a
 * counter of steps. Hidden tokens have draws of their own, so that a hidden question leaves those of the text untouched.
 *
 * Example: token 5 is drawn, taken back and drawn again: the first and the second draw of place 5. A hidden question that
 * begins at place 5 draws its answer at place 9 from the hidden draws; once it is erased, place 5 has its third draw of
 * the text's own, as if nobody had asked. Asked again there, the question has the second hidden draw of place 9.
 */
import { randomBits, uniform } from "../../base/random.ts";

export class Draws {
  readonly #seed: number;
  /** How often each place was drawn. */
  readonly #kept: number[] = [];
  readonly #hidden: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The draw that comes next at a place: uniform in [0, 1). `place`: how many emitted tokens stand before it. */
  peek(place: number, isHidden: boolean): number {
    const times = this.#counts(isHidden)[place] ?? 0;
    return uniform(seedOf(this.#seed, times, isHidden), place);
  }

  /** Uses up the draw: the next one at this place is another one. */
  take(place: number, isHidden: boolean): number {
    const draw = this.peek(place, isHidden);
    const counts = this.#counts(isHidden);
    counts[place] = (counts[place] ?? 0) + 1;
    return draw;
  }

  /** The last draw of a place does not count: the place has it again next. */
  putBack(place: number, isHidden: boolean): void {
    const counts = this.#counts(isHidden);
    counts[place] = Math.max(0, (counts[place] ?? 0) - 1);
  }

  #counts(isHidden: boolean): number[] {
    return isHidden ? this.#hidden : this.#kept;
  }
}

/** Apart from the seed itself and from one another: the first draws of a text are those of its seed. */
const KEPT = 0x6b657074;
const HIDDEN = 0x68696464;

function seedOf(seed: number, times: number, isHidden: boolean): number {
  if (isHidden) return randomBits(randomBits(seed, HIDDEN), times);
  return times === 0 ? seed : randomBits(randomBits(seed, KEPT), times);
}
