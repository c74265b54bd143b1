/** A priority queue: the entry with the lowest cost comes first; among equal costs, the entry that was added first. */
export class Heap<Item> {
  readonly #entries: { readonly item: Item; readonly cost: number; readonly order: number }[] = [];
  #added = 0;

  push(item: Item, cost: number): void {
    const entries = this.#entries;
    entries.push({ item, cost, order: this.#added++ });
    let at = entries.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Undefined when it is empty. */
  pop(): Item | undefined {
    const entries = this.#entries;
    const last = entries.length - 1;
    if (last < 0) return undefined;
    this.#swap(0, last);
    const top = entries.pop();
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < entries.length && this.#isBefore(child, least)) least = child;
      }
      if (least === at) return top?.item;
      this.#swap(at, least);
      at = least;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const one = this.#entries[a];
    const other = this.#entries[b];
    if (!one || !other) return false;
    return one.cost < other.cost || (one.cost === other.cost && one.order < other.order);
  }

  #swap(a: number, b: number): void {
    const one = this.#entries[a];
    const other = this.#entries[b];
    if (!one || !other) return;
    this.#entries[a] = other;
    this.#entries[b] = one;
  }
}
