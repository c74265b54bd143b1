/** A strategy's language read byte by byte, by its definition: no automaton, no vocabulary, no caches of masks. */
import { hasByte } from "../../byte-set.ts";
import { Derivatives } from "../../derivative.ts";
import { type Expression, Expressions } from "../../expression.ts";
import type { Strategy } from "../../strategy.ts";

export class Reference {
  readonly whole: Expression;
  readonly #expressions = new Expressions();
  readonly #derivatives = new Derivatives(this.#expressions);
  readonly #ends = new Map<Expression, Uint8Array | null>();

  constructor(build: Strategy["build"]) {
    this.whole = build(this.#expressions);
  }

  /** What may follow the bytes; null when the text cannot be finished any more. */
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
    return Array.from({ length: 256 }, (_, byte) => byte).filter(
      (byte) => this.after(rest, Uint8Array.of(byte)) !== null,
    );
  }

  /** A shortest way to the end of a text; null where there is none. */
  shortest(start: Expression): Uint8Array | null {
    const known = this.#ends.get(start);
    if (known !== undefined) return known;
    this.#expressions.begin();
    const found = this.#search(start);
    this.#ends.set(start, found);
    return found;
  }

  /** What is left after a byte, whether or not it can be finished. */
  step(rest: Expression, byte: number): Expression {
    this.#expressions.begin();
    const steps = this.#derivatives.steps(rest);
    return this.#expressions.union(...steps.filter(({ set }) => hasByte(set, byte)).map(({ next }) => next));
  }

  #search(start: Expression): Uint8Array | null {
    const paths: { at: Expression; bytes: number[] }[] = [{ at: start, bytes: [] }];
    const seen = new Set<Expression>([start]);
    for (const { at, bytes } of paths) {
      if (this.#derivatives.isNullable(at)) return Uint8Array.from(bytes);
      for (const { set, next } of this.#derivatives.steps(at)) {
        if (seen.has(next)) continue;
        seen.add(next);
        const byte = Array.from({ length: 256 }, (_, value) => value).find((value) => hasByte(set, value));
        paths.push({ at: next, bytes: [...bytes, byte ?? 0] });
      }
    }
    return null;
  }
}
