/** The rows of an automaton's states: for each byte the next state. */
import { ConstraintLimitError } from "../strategy-error.ts";
import type { Expression } from "./expression-node.ts";
import type { Partition } from "./partition.ts";

/** Rows that there is room for at first: a new constraint for each request must not take much memory before it is walked. */
const FIRST_ROWS = 16;

/** Most rows that one piece of work may add; each takes a kilobyte. */
const MOST_NEW_ROWS = 30_000;

/** The state from which no text is allowed. */
export const DEAD = 0;

/** In place of the only byte that may come next: SEVERAL_BYTES if several bytes may come, NO_BYTE if none may. */
export const SEVERAL_BYTES = -1;
export const NO_BYTE = -2;

export class TransitionRows {
  /** The rows, one after the other: 256 numbers each. The array is replaced when it grows. */
  table = new Int32Array(FIRST_ROWS * 256);
  #size = 0;
  #sizeBefore = 0;
  /** The only byte that is allowed by the row that was made last; else SEVERAL_BYTES or NO_BYTE. */
  only = NO_BYTE;

  get size(): number {
    return this.#size;
  }

  /** A new piece of work begins. */
  begin(): void {
    this.#sizeBefore = this.#size;
  }

  /**
   * Adds the row of a state. `targetOf` returns the next state for the expressions to which a class of bytes leads.
   * @returns where the new row begins
   * @throws ConstraintLimitError
   */
  fromClasses({ classOf, nextsOf }: Partition, targetOf: (nexts: readonly Expression[]) => number): number {
    // `targetOf` may throw, so it is called before the row is added: an incomplete row must not stay.
    const targets: number[] = [];
    let only = NO_BYTE;
    for (let byte = 0; byte < 256; byte++) {
      const byteClass = classOf[byte] as number;
      if (byteClass === 0) continue;
      targets[byteClass] ??= targetOf(nextsOf(byteClass));
      if (targets[byteClass] !== DEAD) only = only === NO_BYTE ? byte : SEVERAL_BYTES;
    }
    const row = this.#add();
    const { table } = this;
    // A new row is all DEAD.
    for (let byte = 0; byte < 256; byte++) {
      const byteClass = classOf[byte] as number;
      if (byteClass !== 0) table[row + byte] = targets[byteClass] as number;
    }
    this.only = only;
    return row;
  }

  #add(): number {
    if (this.#size - this.#sizeBefore >= MOST_NEW_ROWS) {
      throw new ConstraintLimitError(
        `a single step takes more than ${MOST_NEW_ROWS.toLocaleString("en")} states`,
      );
    }
    const row = this.#size++ * 256;
    if (row >= this.table.length) {
      const grown = new Int32Array(this.table.length * 2);
      grown.set(this.table);
      this.table = grown;
    }
    return row;
  }
}
