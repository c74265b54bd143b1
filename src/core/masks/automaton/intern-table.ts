/** The table that makes expressions unique: open addressing over the expressions themselves. */
import { sameSet } from "./byte-set.ts";
import type {
  DistinctMemory,
  Expression,
  ExpressionFields,
  Members,
  StringTerminalMaker,
  WrittenBytes,
} from "./expression-node.ts";

export class InternTable {
  #slots: (Expression | undefined)[] = new Array(1024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The expression that is made of the same parts, if there is one. */
  find(parts: ExpressionFields): Expression | undefined {
    const limit = this.#slots.length - 1;
    for (let at = parts.hash & limit; ; at = (at + 1) & limit) {
      const found = this.#slots[at];
      if (found === undefined || (found.hash === parts.hash && isSame(found as ExpressionFields, parts)))
        return found;
    }
  }

  /** Most expressions are sequences: found without making their parts first. */
  findSequence(hash: number, head: Expression, tail: Expression): Expression | undefined {
    const limit = this.#slots.length - 1;
    for (let at = hash & limit; ; at = (at + 1) & limit) {
      const found = this.#slots[at];
      if (found === undefined || (found.kind === "sequence" && found.head === head && found.tail === tail))
        return found;
    }
  }

  /** Found at each token inside a string: without making its parts first. */
  findTerminal(hash: number, maker: StringTerminalMaker, body: Expression): Expression | undefined {
    const limit = this.#slots.length - 1;
    for (let at = hash & limit; ; at = (at + 1) & limit) {
      const found = this.#slots[at];
      if (
        found === undefined ||
        (found.kind === "stringTerminal" && found.body === body && found.maker === maker)
      )
        return found;
    }
  }

  findMembers(kind: "union" | "intersection", hash: number, members: Members): Expression | undefined {
    const limit = this.#slots.length - 1;
    for (let at = hash & limit; ; at = (at + 1) & limit) {
      const found = this.#slots[at];
      if (found === undefined || (found.kind === kind && areSame(found.members, members))) return found;
    }
  }

  add(made: Expression): void {
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    this.#place(made);
  }

  clear(): void {
    this.#slots = new Array(1024);
    this.#size = 0;
  }

  #place(made: Expression): void {
    const limit = this.#slots.length - 1;
    let at = made.hash & limit;
    while (this.#slots[at] !== undefined) at = (at + 1) & limit;
    this.#slots[at] = made;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Array(before.length * 2);
    for (const expression of before) if (expression !== undefined) this.#place(expression);
  }
}

function isSame(a: ExpressionFields, b: ExpressionFields): boolean {
  return (
    a.kind === b.kind &&
    a.head === b.head &&
    a.tail === b.tail &&
    a.body === b.body &&
    a.min === b.min &&
    a.max === b.max &&
    a.tokens === b.tokens &&
    a.key === b.key &&
    a.maker === b.maker &&
    (a.set === b.set || (a.set !== undefined && b.set !== undefined && sameSet(a.set, b.set))) &&
    areSame(a.members, b.members) &&
    (a.distinct === b.distinct || areAlike(a.distinct, b.distinct))
  );
}

function areAlike(a: DistinctMemory | undefined, b: DistinctMemory | undefined): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.sequel === b.sequel &&
    a.seen === b.seen &&
    a.taken === b.taken &&
    isSameText(a.written, b.written)
  );
}

/** Expressions that were made from one expression share all but the last byte of the hash. */
function isSameText(a: WrittenBytes | null, b: WrittenBytes | null): boolean {
  let [one, other] = [a, b];
  while (one !== other) {
    if (one === null || other === null || one.hash !== other.hash || one.byte !== other.byte) return false;
    one = one.before;
    other = other.before;
  }
  return true;
}

function areSame(a: Members | undefined, b: Members | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
