/** The automaton's notes about its states, by their numbers. */

/** Values of `only`: not computed yet, or known only from the row. */
export const ONLY_BYTE_NOT_COMPUTED = -3;
export const ONLY_BYTE_IN_ROW = -4;

export class StateTable {
  /** Where the row of a state begins in the automaton's table; -1 until it is made. */
  readonly rowOf: number[] = [];
  /** Bits; their meaning is the automaton's. */
  readonly flags: number[] = [];
  /** The only byte that is allowed; SEVERAL_BYTES or NO_BYTE, known with the row; ONLY_BYTE_NOT_COMPUTED, ONLY_BYTE_IN_ROW. */
  readonly only: number[] = [];
  /** The state after the only byte. */
  readonly next: number[] = [];
  /** See `Automaton.frontOf`; 0 until it is computed. */
  readonly front: number[] = [];

  /** Adds the next state. */
  add(): void {
    this.rowOf.push(-1);
    this.flags.push(0);
    this.only.push(ONLY_BYTE_NOT_COMPUTED);
    this.next.push(0);
    this.front.push(0);
  }
}
