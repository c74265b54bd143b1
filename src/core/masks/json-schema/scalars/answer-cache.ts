/** Answers that take long and are asked for again: kept by what was asked, and charged each time as if they were found anew. */
import type { Effort } from "../effort.ts";

/** The cost of the answer, in units of effort. */
interface Charged {
  readonly units: number;
}

export class AnswerCache<Answer extends Charged> {
  readonly #answers = new Map<string, Answer>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** A schema ends the same way whatever was asked before. @throws ConstraintLimitError when it is too much effort */
  of(key: string, effort: Effort, find: () => Answer): Answer {
    const answer = this.#answers.get(key) ?? find();
    if (this.#answers.size >= this.#most) this.#answers.clear();
    this.#answers.set(key, answer);
    effort.spend(answer.units);
    return answer;
  }
}
