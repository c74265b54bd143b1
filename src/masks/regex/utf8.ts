/** Code points as UTF-8 (RFC 3629). */
import { type ByteSet, byteSet } from "../byte-set.ts";
import type { Expression, Expressions } from "../expression.ts";
import { type CodePoints, rangesOf } from "./code-points.ts";

/** Says how one code point of a set is written. The texts of two disjoint sets must not be beginnings of one another. */
export type Alphabet = (expressions: Expressions, set: CodePoints) => Expression;

/** Lead bytes of one length: the first, how many, the code point the first stands for, and how many bytes follow. */
const leads = [
  { first: 0x00, count: 0x80, base: 0, following: 0 },
  { first: 0xc0, count: 0x20, base: 0, following: 1 },
  { first: 0xe0, count: 0x10, base: 0, following: 2 },
  { first: 0xf0, count: 0x08, base: 0, following: 3 },
] as const;

/** The code points that each length may write: no overlong forms, no surrogates. */
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

/** One code point of the set, in UTF-8. Surrogates cannot be written and are left out. Deterministic: disjoint at each byte. */
export const utf8: Alphabet = (expressions, set) => {
  const ranges = rangesOf(set);
  return expressions.union(
    ...leads.map(({ first, count, base, following }, length) =>
      branch(expressions, clipAll(ranges, written[length] ?? []), { first, count, base, following }),
    ),
  );
};

interface Block {
  /** The byte that stands for the block's first code points. */
  readonly first: number;
  readonly count: number;
  readonly base: number;
  readonly following: number;
}

/** Bytes of the block, each with the bytes that may follow; bytes with equal followers are one member. */
function branch(expressions: Expressions, ranges: Ranges, block: Block): Expression {
  if (ranges.length === 0) return expressions.nothing;
  const size = 64 ** block.following;
  const byTail = new Map<Expression, ByteSet>();
  const add = (tail: Expression, first: number, last: number) => {
    const bytes = byTail.get(tail) ?? new Uint32Array(8);
    for (let byte = first; byte <= last; byte++) (bytes[byte >> 5] as number) |= 1 << (byte & 31);
    byTail.set(tail, bytes);
  };
  let reach = 0;
  for (let index = 0; index < block.count; index++) {
    const from = block.base + index * size;
    while ((ranges[reach]?.[1] ?? Number.POSITIVE_INFINITY) < from) reach++;
    const [first, last] = ranges[reach] ?? [Number.POSITIVE_INFINITY, 0];
    if (first >= from + size) continue;
    const whole = first <= from ? Math.floor((last + 1 - from) / size) : 0;
    const bytes = block.first + index;
    if (whole > 0) {
      index += Math.min(whole, block.count - index) - 1;
      add(anyContinuation(expressions, block.following), bytes, block.first + index);
    } else {
      add(
        tailOf(expressions, clip(ranges, reach, from, from + size - 1), from, block.following),
        bytes,
        bytes,
      );
    }
  }
  return expressions.union(
    ...[...byTail].map(([tail, bytes]) => expressions.sequence(expressions.bytes(bytes), tail)),
  );
}

const continuation = byteSet([0x80, 0xbf]);

function anyContinuation(expressions: Expressions, following: number): Expression {
  return expressions.repeat(expressions.bytes(continuation), following, following);
}

function tailOf(expressions: Expressions, ranges: Ranges, base: number, following: number): Expression {
  return branch(expressions, ranges, { first: 0x80, count: 64, base, following: following - 1 });
}

/** What lies from `first` to `last` of the ranges from number `start` on. */
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
