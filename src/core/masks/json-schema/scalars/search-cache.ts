/**
 * Caches the answers of searches in expressions, which take long and are needed again. Each use is charged as if the search were
 * made again, so that limits do not depend on the cache.
 */
import { Expressions } from "../../automaton/expression.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import type { EffortMeter } from "../effort.ts";

/** The most operations of one search: some tens of milliseconds. */
const MOST_WORK = 60_000;
/** The number of operations that count as one unit of effort. */
const UNIT = 4;

export class SearchCache<Answer> {
  readonly #found = new Map<string, { readonly answer: Answer; readonly units: number }>();
  readonly #most: number;

  /** @param most the most answers that are cached; after that, the cache begins anew. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Returns the cached answer, or searches for it in an arena of its own. The answer for a schema does not depend on earlier
   * schemas.
   * @throws ConstraintLimitError if the answer takes too much effort, together with all earlier effort
   */
  of(key: string, effort: EffortMeter, search: (expressions: Expressions) => Answer): Answer {
    if (this.#found.size >= this.#most) this.#found.clear();
    const { answer, units } = getOrCreate(this.#found, key, () => {
      const expressions = new Expressions(MOST_WORK);
      const found = search(expressions);
      return { answer: found, units: Math.ceil(expressions.work / UNIT) };
    });
    effort.spend(units);
    return answer;
  }
}
