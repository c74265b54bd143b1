/** A strategy's language read byte by byte, by its definition: no automaton, no vocabulary, no caches of masks. */
import { type ByteSet, hasByte } from "../../automaton/byte-set.ts";
import { Derivatives } from "../../automaton/derivative.ts";
import { type Expression, Expressions } from "../../automaton/expression.ts";
import type { DistinctExpression } from "../../automaton/expression-node.ts";
import type { Strategy } from "../../strategy.ts";

const bytes = Array.from({ length: 256 }, (_, byte) => byte);

export class ReferenceLanguage {
  readonly whole: Expression;
  readonly #expressions = new Expressions();
  readonly #derivatives = new Derivatives(this.#expressions);
  readonly #ends = new Map<Expression, Uint8Array | null>();

  constructor(build: Strategy["build"]) {
    this.whole = build(this.#expressions);
  }

  /** The language of what may follow `bytes` in `from`; null if no text of `from` begins with them. */
  after(from: Expression, bytes: Uint8Array): Expression | null {
    let rest = from;
    for (const byte of bytes) rest = this.step(rest, byte);
    return this.shortest(rest) === null ? null : rest;
  }

  canEnd(rest: Expression): boolean {
    this.#expressions.begin();
    return this.#derivatives.isNullable(rest);
  }

  /** The bytes that may come next. */
  nextBytes(rest: Expression): number[] {
    return bytes.filter((byte) => this.after(rest, Uint8Array.of(byte)) !== null);
  }

  /** A shortest text of the language; null when it has none. */
  shortest(start: Expression): Uint8Array | null {
    this.#expressions.begin();
    if (!this.#ends.has(start)) this.#solve(start);
    return this.#ends.get(start) ?? null;
  }

  /** The language of what may follow `byte`, which may have no texts. */
  step(rest: Expression, byte: number): Expression {
    this.#expressions.begin();
    const steps = this.#derivatives.steps(rest);
    return this.#expressions.union(...steps.filter(({ set }) => hasByte(set, byte)).map(({ next }) => next));
  }

  /**
   * Finds a shortest text of each part of the expression: at first no part has one, then texts are found and replaced by
   * shorter ones (after Knuth 1977).
   */
  #solve(start: Expression): void {
    const all = this.#collect(start);
    const remembering = all.filter((node) => node.kind === "distinct");
    // An array with distinct items is first solved with the fewest items that it needs, since an array with one item more
    // may have no end.
    if (remembering.length > 0 && start.kind !== "distinct") {
      this.#solveAll(all);
      const found = this.#ends.get(start);
      for (const node of all) if (node !== start || !found) this.#ends.delete(node);
      if (found) return;
    }
    for (const node of remembering) this.#ends.set(node, this.#searchDistinct(node));
    this.#solveAll(all);
  }

  /** @param all parts that are solved already are left as they are. */
  #solveAll(all: readonly Expression[]): void {
    for (const node of all) {
      if (!this.#ends.has(node)) this.#ends.set(node, isSearched(node) ? this.#search(node) : null);
    }
    const nodes = all.filter((node) => !isSearched(node) && node.kind !== "distinct");
    for (let changed = true; changed; ) {
      changed = false;
      for (const node of nodes) {
        const found = this.#end(node);
        const known = this.#ends.get(node) ?? null;
        if (found === null || (known !== null && known.length <= found.length)) continue;
        this.#ends.set(node, found);
        changed = true;
      }
    }
  }

  /** Parts that are not solved yet, inner ones first. */
  #collect(start: Expression): Expression[] {
    const nodes = new Set<Expression>([start]);
    for (const node of nodes) {
      for (const part of this.#parts(node)) if (!this.#ends.has(part)) nodes.add(part);
    }
    return [...nodes].reverse();
  }

  #parts(node: Expression): readonly Expression[] {
    switch (node.kind) {
      case "sequence":
        return [node.head, node.tail];
      case "union":
        return node.members;
      case "repeat":
      case "budget":
        return [node.body];
      case "rule":
        return [this.#derivatives.expand(node)];
      default:
        return [];
    }
  }

  /** A shortest text of the node, as far as its parts have one by now. */
  #end(node: Expression): Uint8Array | null {
    const ends = this.#parts(node).map((part) => this.#ends.get(part) ?? null);
    const [first = null, second = null] = ends;
    switch (node.kind) {
      case "nothing":
        return null;
      case "empty":
        return new Uint8Array();
      case "bytes":
        return Uint8Array.of(firstByte(node.set));
      case "sequence":
        return first && second && Uint8Array.from([...first, ...second]);
      case "repeat":
        if (node.min === 0) return new Uint8Array();
        return first && Uint8Array.from(Array.from({ length: node.min }, () => [...first]).flat());
      default:
        return ends.reduce((best, end) => (best && (!end || best.length <= end.length) ? best : end), null);
    }
  }

  /** A text that the array does not have yet, then a shortest end of what follows it. */
  #searchDistinct({ body, distinct }: DistinctExpression): Uint8Array | null {
    const text = this.shortest(this.#expressions.difference(body, distinct.taken));
    if (text === null) return null;
    const before: number[] = [];
    for (let at = distinct.written; at !== null; at = at.before) before.unshift(at.byte);
    const whole = this.#expressions.literal(Uint8Array.from([...before, ...text]));
    const end = this.shortest(distinct.sequel.after(this.#expressions.union(distinct.seen, whole)));
    return end && Uint8Array.from([...text, ...end]);
  }

  /** A breadth-first search, which ends because these expressions are regular. */
  #search(start: Expression): Uint8Array | null {
    interface Path {
      readonly at: Expression;
      readonly byte: number;
      readonly before: Path | null;
    }
    const paths: Path[] = [{ at: start, byte: 0, before: null }];
    const seen = new Set<Expression>([start]);
    for (const path of paths) {
      if (this.#derivatives.isNullable(path.at)) {
        const bytes: number[] = [];
        for (let at: Path = path; at.before !== null; at = at.before) bytes.push(at.byte);
        return Uint8Array.from(bytes.reverse());
      }
      for (const { set, next } of this.#derivatives.steps(path.at)) {
        if (seen.has(next)) continue;
        seen.add(next);
        paths.push({ at: next, byte: firstByte(set), before: path });
      }
    }
    return null;
  }
}

function isSearched({ kind }: Expression): boolean {
  return kind === "intersection" || kind === "complement" || kind === "stringTerminal";
}

function firstByte(set: ByteSet): number {
  return bytes.find((byte) => hasByte(set, byte)) ?? 0;
}
