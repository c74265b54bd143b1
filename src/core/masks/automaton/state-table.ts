/** The automaton's notes about its states, by their numbers. */

/** Room at the beginning. */
const FEWEST_STATES = 256;

/** Values of `only`: not computed yet, or known only from the row. */
export const ONLY_BYTE_NOT_COMPUTED = -3;
export const ONLY_BYTE_IN_ROW = -4;

export class StateTable {
  /** Where the row of a state begins in the automaton's table; -1 until it is made. All arrays are replaced when they grow. */
  rowOf = new Int32Array(FEWEST_STATES).fill(-1);
  /** Bits; their meaning is the automaton's. */
  flags = new Uint8Array(FEWEST_STATES);
  /** The only byte that is allowed; SEVERAL_BYTES or NO_BYTE, known with the row; ONLY_BYTE_NOT_COMPUTED, ONLY_BYTE_IN_ROW. */
  only = new Int16Array(FEWEST_STATES).fill(ONLY_BYTE_NOT_COMPUTED);
  /** The state after the only byte. */
  next = new Int32Array(FEWEST_STATES);
  /** See `Automaton.frontOf`; 0 until it is computed. */
  front = new Int32Array(FEWEST_STATES);

  /** Makes room for a state. */
  reach(state: number): void {
    if (state < this.rowOf.length) return;
    const length = this.rowOf.length * 2;
    this.rowOf = copied(this.rowOf, new Int32Array(length).fill(-1));
    this.flags = copied(this.flags, new Uint8Array(length));
    this.only = copied(this.only, new Int16Array(length).fill(ONLY_BYTE_NOT_COMPUTED));
    this.next = copied(this.next, new Int32Array(length));
    this.front = copied(this.front, new Int32Array(length));
  }
}

function copied<Numbers extends Int32Array | Int16Array | Uint8Array>(
  before: Numbers,
  grown: Numbers,
): Numbers {
  grown.set(before);
  return grown;
}
