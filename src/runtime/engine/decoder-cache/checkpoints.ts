/**
 * Chooses which states of a model to save. All recent states are saved, because tokens are usually removed near the end.
 * Older states are saved at distances of at most `spacing` tokens. To go back to any length, the model then computes fewer than
 * `spacing` tokens again (or the tokens of one pass, if that pass was longer).
 */

/** A state after `length` tokens, stored in `slot`. */
export interface Checkpoint<Slot> {
  readonly length: number;
  readonly slot: Slot;
}

export class Checkpoints<Slot> {
  /** Sorted by length; the state of no tokens comes first. */
  #kept: readonly Checkpoint<Slot>[];
  readonly #newest: number;
  #spacing: number;

  /** @param first the state of no tokens, which is never dropped @param newest how many of the newest states are all kept */
  constructor(first: Slot, newest: number, spacing: number) {
    this.#kept = [{ length: 0, slot: first }];
    this.#newest = newest;
    this.#spacing = spacing;
  }

  get kept(): readonly Checkpoint<Slot>[] {
    return this.#kept;
  }

  /** The largest number of states that are stored at once for `rows` tokens, including the state of no tokens. */
  static most(rows: number, newest: number, spacing: number): number {
    // An older state is dropped if the gaps on both sides together have at most `spacing` tokens. So any two neighbouring
    // gaps have more, which bounds the number of states.
    return Math.min(rows, newest + 2 * (Math.ceil(rows / spacing) - 1)) + 1;
  }

  /** The last state of at most `length` tokens. */
  nearest(length: number): Checkpoint<Slot> {
    let found = this.#kept[0] as Checkpoint<Slot>;
    for (const checkpoint of this.#kept) if (checkpoint.length <= length) found = checkpoint;
    return found;
  }

  /** Drops the states of more than `length` tokens. Returns their slots. */
  cut(length: number): Slot[] {
    return this.#drop((checkpoint) => checkpoint.length > length);
  }

  /** Adds the state after `length` tokens, which must be longer than all others. Returns the slots that became free. */
  add(length: number, slot: Slot): Slot[] {
    this.#kept = [...this.#kept, { length, slot }];
    return this.#thin();
  }

  /** Keeps fewer of the older states from now on. Returns the slots that became free. */
  widen(spacing: number): Slot[] {
    this.#spacing = spacing;
    return this.#thin();
  }

  #thin(): Slot[] {
    const old = this.#kept.length - this.#newest;
    let before = 0;
    const needless = new Set<Checkpoint<Slot>>();
    for (let i = 1; i < old; i++) {
      const checkpoint = this.#kept[i] as Checkpoint<Slot>;
      const after = (this.#kept[i + 1] ?? checkpoint).length;
      if (after - before <= this.#spacing) needless.add(checkpoint);
      else before = checkpoint.length;
    }
    return this.#drop((checkpoint) => needless.has(checkpoint));
  }

  #drop(dropped: (checkpoint: Checkpoint<Slot>) => boolean): Slot[] {
    const gone = this.#kept.filter(dropped);
    if (gone.length > 0) this.#kept = this.#kept.filter((checkpoint) => !dropped(checkpoint));
    return gone.map(({ slot }) => slot);
  }
}
