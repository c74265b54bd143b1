/**
 * Caches results that take long to compute and are needed again. Each use is charged as if the result were computed again, so
 * that limits do not depend on the cache.
 */
import type { EffortMeter } from "../effort.ts";

/** The cost of the answer, in units of effort. */
interface Charged {
  readonly units: number;
}

export class ChargedResultCache<Answer extends Charged> {
  readonly #answers = new Map<string, Answer>();
  readonly #most: number;

  /** @param most the most answers that are cached; after that, the cache begins anew. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the cached answer, or finds it. The result for a schema does not depend on earlier schemas.
   * @throws ConstraintLimitError if the answer takes too much effort
   */
  of(key: string, effort: EffortMeter, find: () => Answer): Answer {
    const answer = this.#answers.get(key) ?? find();
    if (this.#answers.size >= this.#most) this.#answers.clear();
    this.#answers.set(key, answer);
    effort.spend(answer.units);
    return answer;
  }
}
