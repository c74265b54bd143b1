/**
 * Which earlier states of a model are kept, so that a text that is cut back need not be read again from its start. A state has
 * one size whatever the length of the text: each pass gives a new one, which is kept as it is, without a copy. Pure but for `free`.
 */
interface Checkpoint<State> {
  /** Tokens that had been read. */
  readonly length: number;
  readonly state: State;
}

export interface CheckpointOptions<State> {
  /** Most checkpoints that are kept. */
  readonly most: number;
  /** Frees a state that is no longer kept. */
  free(state: State): void;
}

export class StateCheckpoints<State> {
  readonly #options: CheckpointOptions<State>;
  /** By length, shortest first. */
  #kept: Checkpoint<State>[] = [];

  constructor(options: CheckpointOptions<State>) {
    this.#options = options;
  }

  /** Lengths of text whose state is kept. */
  get lengths(): readonly number[] {
    return this.#kept.map(({ length }) => length);
  }

  /** Keeps the state after `length` tokens, which are more than any kept state has read. */
  keep(length: number, state: State): void {
    this.#kept.push({ length, state });
    if (this.#kept.length > this.#options.most) this.#drop(this.#leastUseful());
  }

  /**
   * The latest state of a text no longer than `length`, or null where there is none. Later states are freed, since the text
   * goes on otherwise.
   */
  cutTo(length: number): Checkpoint<State> | null {
    while ((this.#kept.at(-1)?.length ?? 0) > length) this.#drop(this.#kept.length - 1);
    return this.#kept.at(-1) ?? null;
  }

  /** Frees all. */
  clear(): void {
    while (this.#kept.length > 0) this.#drop(this.#kept.length - 1);
  }

  /**
   * The one without which the fewest tokens would be read again, measured by how far from the end it lies: texts are mostly cut
   * near their end. The last is the present state, and is kept.
   */
  #leastUseful(): number {
    const end = this.#kept.at(-1)?.length ?? 0;
    let least = 0;
    let leastWeight = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#kept.length - 1; i++) {
      const { length } = this.#kept[i] as Checkpoint<State>;
      const before = this.#kept[i - 1]?.length ?? 0;
      const after = (this.#kept[i + 1] as Checkpoint<State>).length;
      const weight = (after - before) / (end - length);
      if (weight < leastWeight) [least, leastWeight] = [i, weight];
    }
    return least;
  }

  #drop(index: number): void {
    const [dropped] = this.#kept.splice(index, 1);
    if (dropped) this.#options.free(dropped.state);
  }
}
