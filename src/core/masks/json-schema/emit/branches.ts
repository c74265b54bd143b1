/** A choice between many texts, each with its own continuation, as a tree. Only the branches that are read are built. */
import type { Expression } from "../../automaton/expression.ts";
import { compareBytes } from "../../automaton/prefix-tree.ts";
import type { Emission } from "./emission.ts";

export interface Branch {
  /** A name for text and continuation: branches with equal keys are equal. */
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly next: () => Expression;
}

/** A text for which a branch can be made. */
interface Path {
  readonly bytes: Uint8Array;
}

/**
 * Any of the branches: the text of one, and then its continuation.
 * @param key names this set of branches. Texts differ from one another.
 * @param branchOf makes the branch of a path: only a few of hundreds of paths are walked.
 */
export function branchesExpression<Given extends Path>(
  emission: Emission,
  key: string,
  list: readonly Given[],
  branchOf: (path: Given) => Branch,
): Expression {
  if (list.length === 0) return emission.expressions.nothing;
  const paths = [...list].sort((a, b) => compareBytes(a.bytes, b.bytes));
  return new Tree(emission, key, paths, branchOf).node(0, paths.length, 0);
}

class Tree<Given extends Path> {
  readonly #emission: Emission;
  readonly #key: string;
  readonly #paths: readonly Given[];
  readonly #branchOf: (path: Given) => Branch;
  readonly #rest = (first: number, end: number, depth: number) => this.node(first, end, depth);

  constructor(emission: Emission, key: string, paths: readonly Given[], branchOf: (path: Given) => Branch) {
    this.#emission = emission;
    this.#key = key;
    this.#paths = paths;
    this.#branchOf = branchOf;
  }

  /** The rest of the paths from `first` to before `end`, which share their first `depth` bytes. */
  node(first: number, end: number, depth: number): Expression {
    const isPast = depth === this.#path(first).bytes.length;
    const beginnings = isPast ? undefined : { paths: this.#paths, first, end, depth, rest: this.#rest };
    const only = end - first === 1 ? this.#branchOf(this.#path(first)) : null;
    const key = only ? only.key : `${this.#key}@${first}-${end}`;
    return this.#emission.rule(`${key}@${depth}`, () => this.#fork(first, end, depth), beginnings);
  }

  #path(index: number): Given {
    return this.#paths[index] as Given;
  }

  #fork(first: number, end: number, depth: number): Expression {
    const { expressions } = this.#emission;
    const parts: Expression[] = [];
    let from = first;
    while (from < end) {
      const path = this.#path(from);
      const byte = path.bytes[depth];
      let to = from + 1;
      if (byte === undefined) parts.push(this.#branchOf(path).next());
      else {
        while (to < end && this.#path(to).bytes[depth] === byte) to++;
        parts.push(expressions.sequence(expressions.byte(byte), this.node(from, to, depth + 1)));
      }
      from = to;
    }
    return expressions.union(...parts);
  }
}
