/** Follows the paths that a rule lists: to the rest of a rule, without the expressions of the bytes before it. */
import type { Expression, PathRange, RuleBeginnings } from "./expression-node.ts";

/** The bytes from `from` to before `to`. */
export interface Span {
  readonly bytes: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

/** The rest of the paths after some bytes, and the number of bytes: fewer than there are if a path ends before. */
export interface Followed {
  readonly rest: Expression;
  readonly taken: number;
}

/** Null where no path has the bytes from `from` to before `to`. */
export function followPaths(
  beginnings: RuleBeginnings,
  bytes: ArrayLike<number>,
  from = 0,
  to: number = bytes.length,
): Followed | null {
  const { paths } = beginnings;
  let { first, end, depth } = beginnings;
  let index = from;
  for (; index < to && (paths[first]?.bytes.length ?? 0) > depth; index++) {
    const byte = bytes[index] as number;
    while (first < end && (paths[first]?.bytes[depth] as number) < byte) first++;
    let last = first;
    while (last < end && paths[last]?.bytes[depth] === byte) last++;
    if (first === last) return null;
    end = last;
    depth++;
  }
  return { rest: beginnings.rest(first, end, depth), taken: index - from };
}

/** The next byte of all paths; -1 if they differ in this byte. */
export function onlyByteOfPaths({ paths, first, end, depth }: PathRange): number {
  const byte = paths[first]?.bytes[depth] ?? -1;
  return paths[end - 1]?.bytes[depth] === byte ? byte : -1;
}
