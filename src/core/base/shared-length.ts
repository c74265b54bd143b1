/** Length of the common beginning of two lists, at most `most`. */
export function commonPrefixLength(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  most = Number.POSITIVE_INFINITY,
): number {
  const end = Math.min(a.length, b.length, most);
  let shared = 0;
  while (shared < end && a[shared] === b[shared]) shared++;
  return shared;
}
