/** Well-formed text up to and including the first of some texts: a machine over bytes, made state by state. */
import { type ByteSet, byteSet } from "../automaton/byte-set.ts";
import { BETWEEN_CHARACTERS, BROKEN_UTF8, utf8Table } from "../automaton/characters.ts";
import type { Expression, Expressions } from "../automaton/expression.ts";
import { getOrCreate } from "../automaton/get-or-create.ts";

/**
 * A node of the search tree: the beginning of an end that the last bytes have spelled. For the end "</think>", after
 * "…</th", the node is "</th".
 */
interface Progress {
  readonly after: Map<number, Progress>;
  readonly number: number;
  /** The node of the longest proper suffix of these bytes that is also the beginning of an end. */
  fallback: Progress | null;
  isEnd: boolean;
}

const encoder = new TextEncoder();

/**
 * The machines of each arena, by their ends, so that each is made once. Their rules get short keys from the machine's
 * number.
 */
const machines = new WeakMap<Expressions, Map<string, Expression>>();

/**
 * Well-formed texts that end with one of `ends` and contain none of them before that. No end may contain another end:
 * callers give one text, or several single characters.
 */
export function upToFirst(expressions: Expressions, ends: readonly string[]): Expression {
  return machineOf(expressions, ends, null);
}

/** Well-formed texts after which `end` comes for the first time. */
export function textBefore(expressions: Expressions, end: string): Expression {
  return machineOf(expressions, [end], encoder.encode(end));
}

function machineOf(expressions: Expressions, ends: readonly string[], left: Uint8Array | null): Expression {
  const known = getOrCreate(machines, expressions, () => new Map<string, Expression>());
  return getOrCreate(known, JSON.stringify([ends, left === null]), () =>
    makeMachine(expressions, ends, left, `first-match:${known.size}`),
  );
}

/** @param left the end, if it is left out of the texts; null if the texts have their ends */
function makeMachine(
  expressions: Expressions,
  ends: readonly string[],
  left: Uint8Array | null,
  key: string,
): Expression {
  const root = searchTree(ends.map((end) => encoder.encode(end)));
  const stateOf = (progress: Progress, character: number): Expression => {
    if (progress.isEnd) return left ? expressions.nothing : expressions.empty;
    return expressions.rule(`${key}:${progress.number}:${character}`, () => expand(progress, character));
  };
  const mayEnd = (progress: Progress, character: number): boolean => {
    if (left === null || character !== BETWEEN_CHARACTERS) return false;
    let at = progress;
    // In "]]]" the end "]]" comes after nothing, so the text before the end is not "]".
    return left.every((byte, index) => {
      at = follow(root, at, byte);
      return at.isEnd === (index === left.length - 1);
    });
  };
  const expand = (progress: Progress, character: number): Expression => {
    const groups = new Map<string, { set: ByteSet; next: Expression }>();
    for (let byte = 0; byte < 256; byte++) {
      const nextCharacter = utf8Table[character * 256 + byte] ?? BROKEN_UTF8;
      if (nextCharacter === BROKEN_UTF8) continue;
      const next = follow(root, progress, byte);
      const group = `${next.number}:${nextCharacter}`;
      const { set } = getOrCreate(groups, group, () => ({
        set: byteSet(),
        next: stateOf(next, nextCharacter),
      }));
      (set[byte >> 5] as number) |= 1 << (byte & 31);
    }
    return expressions.union(
      mayEnd(progress, character) ? expressions.empty : expressions.nothing,
      ...[...groups.values()].map(({ set, next }) => expressions.sequence(expressions.bytes(set), next)),
    );
  };
  return stateOf(root, BETWEEN_CHARACTERS);
}

/**
 * The tree of the ends, with fallbacks (Aho and Corasick 1975). After "aa" of the end "aab", a further "a" falls back to
 * "aa", so that "aab" is found in "aaab".
 */
function searchTree(ends: readonly Uint8Array[]): Progress {
  let count = 0;
  const create = (): Progress => ({ after: new Map(), number: count++, fallback: null, isEnd: false });
  const root = create();
  for (const end of ends) {
    let at = root;
    for (const byte of end) {
      at = getOrCreate(at.after, byte, create);
    }
    at.isEnd = true;
  }
  const queue = [root];
  for (const at of queue) {
    for (const [byte, next] of at.after) {
      next.fallback = at === root ? root : follow(root, at.fallback ?? root, byte);
      queue.push(next);
    }
  }
  return root;
}

function follow(root: Progress, from: Progress, byte: number): Progress {
  for (let at: Progress | null = from; at !== null; at = at.fallback) {
    const next = at.after.get(byte);
    if (next !== undefined) return next;
  }
  return root;
}
