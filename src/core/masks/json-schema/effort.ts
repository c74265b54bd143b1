/** A bound on the work for one schema, counted and not timed: the same schema always ends the same way. */
import { ConstraintLimitError } from "../strategy-error.ts";

/** Some tenths of a microsecond each. */
const MOST_UNITS = 100_000;

export class EffortMeter {
  #spent = 0;

  get spent(): number {
    return this.#spent;
  }

  /** @throws ConstraintLimitError */
  spend(units: number): void {
    this.#spent += units;
    if (this.#spent > MOST_UNITS) {
      throw new ConstraintLimitError(
        'the schema\'s "anyOf", "oneOf", "not", "if" and "enum" combine into too many alternatives',
      );
    }
  }

  /** Begins to count at 0 again, for the next question. */
  renew(): void {
    this.#spent = 0;
  }
}
