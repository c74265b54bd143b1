/** Code points as UTF-8 (RFC 3629). */
import { type ByteSet, byteSet } from "../automaton/byte-set.ts";
import type { Expression, Expressions } from "../automaton/expression.ts";
import { type CodePoints, rangesOf } from "./code-points.ts";

/**
 * Makes the expression for one code point of a set, in the encoding of the alphabet. For disjoint sets, no text of one set
 * is the beginning of a text of the other.
 */
export type Alphabet = (expressions: Expressions, set: CodePoints) => Expression;

/**
 * For each length of a UTF-8 sequence: its lowest lead byte, the code point for which this byte alone would stand, and the
 * number of bytes after it.
 */
const leads = [
  { first: 0x00, base: 0, following: 0 },
  { first: 0xc0, base: 0, following: 1 },
  { first: 0xe0, base: 0, following: 2 },
  { first: 0xf0, base: 0, following: 3 },
] as const;

/** The code points that each length may encode: no overlong forms, no surrogates. */
const written = [
  [[0, 0x7f]],
  [[0x80, 0x7ff]],
  [
    [0x800, 0xd7ff],
    [0xe000, 0xffff],
  ],
  [[0x10000, 0x10ffff]],
] as const;

type Ranges = readonly (readonly [number, number])[];

/**
 * One code point of the set, in UTF-8. Surrogates are left out, since UTF-8 cannot write them. Deterministic: at each byte,
 * the alternatives have no byte in common.
 */
export const utf8Alphabet: Alphabet = (expressions, set) => {
  const ranges = rangesOf(set);
  return expressions.union(
    ...leads.map(({ first, base, following }, length) =>
      branch(expressions, clipAll(ranges, written[length] ?? []), { first, base, following }),
    ),
  );
};

interface Block {
  /** The byte for the first `64 ** following` code points of the block, which begins at `base`. */
  readonly first: number;
  readonly base: number;
  readonly following: number;
}

/**
 * The code points of `ranges`, all within `block`: its bytes, each with what may follow it, and bytes with equal followers
 * grouped. Every character of an expression comes through here, so the loop goes from range to range, not from byte to
 * byte, and without an iterator.
 */
function branch(expressions: Expressions, ranges: Ranges, block: Block): Expression {
  if (ranges.length === 0) return expressions.nothing;
  const { base, following } = block;
  const size = 64 ** following;
  const byTail = new Map<Expression, ByteSet>();
  let index = 0;
  for (let reach = 0; reach < ranges.length; ) {
    const from = base + index * size;
    const { 0: first, 1: last } = ranges[reach] as Ranges[number];
    if (last < from) reach++;
    else if (first >= from + size) index += Math.floor((first - from) / size);
    else {
      const whole = first <= from ? Math.floor((last + 1 - from) / size) : 0;
      const tail =
        whole > 0
          ? anyContinuation(expressions, following)
          : tailOf(expressions, clip(ranges, reach, from, from + size - 1), from, following);
      const until = index + Math.max(whole, 1);
      addBytes(byTail, tail, block.first + index, block.first + until);
      index = until;
    }
  }
  return expressions.union(
    ...Array.from(byTail, ([tail, bytes]) => expressions.pair(expressions.bytes(bytes), tail)),
  );
}

/** Adds the bytes from `first` up to, but without, `end`. */
function addBytes(byTail: Map<Expression, ByteSet>, tail: Expression, first: number, end: number): void {
  let bytes = byTail.get(tail);
  if (bytes === undefined) {
    bytes = new Uint32Array(8);
    byTail.set(tail, bytes);
  }
  for (let byte = first; byte < end; byte++) (bytes[byte >> 5] as number) |= 1 << (byte & 31);
}

const continuation = byteSet([0x80, 0xbf]);

function anyContinuation(expressions: Expressions, following: number): Expression {
  return expressions.repeat(expressions.bytes(continuation), following, following);
}

function tailOf(expressions: Expressions, ranges: Ranges, base: number, following: number): Expression {
  return branch(expressions, ranges, { first: 0x80, base, following: following - 1 });
}

/** The part of `ranges`, from index `start` on, that lies between the code points `first` and `last`. */
function clip(ranges: Ranges, start: number, first: number, last: number): Ranges {
  const result: [number, number][] = [];
  for (let index = start; index < ranges.length; index++) {
    const [from, to] = ranges[index] as readonly [number, number];
    if (from > last) break;
    if (to >= first) result.push([Math.max(from, first), Math.min(to, last)]);
  }
  return result;
}

function clipAll(ranges: Ranges, windows: Ranges): Ranges {
  return windows.flatMap(([first, last]) => clip(ranges, 0, first, last));
}
