/** Sets of Unicode code points, as sorted ranges. */

/** Inclusive ranges: first, last, first, last and so on; sorted, disjoint, never adjacent. */
export type CodePoints = readonly number[];

const LAST_CODE_POINT = 0x10ffff;
export const allCodePoints: CodePoints = [0, LAST_CODE_POINT];

/** The set of all code points in the given inclusive ranges, in any order. */
export function codePoints(...ranges: readonly (readonly [number, number])[]): CodePoints {
  const sorted = [...ranges].sort((a, b) => a[0] - b[0]);
  const result: number[] = [];
  for (const [first, last] of sorted) {
    const end = result.at(-1);
    if (end !== undefined && first <= end + 1) result[result.length - 1] = Math.max(end, last);
    else result.push(first, last);
  }
  return result;
}

export function rangesOf(set: CodePoints): [number, number][] {
  const ranges: [number, number][] = [];
  for (let index = 0; index < set.length; index += 2) {
    ranges.push([set[index] as number, set[index + 1] as number]);
  }
  return ranges;
}

export function uniteCodePoints(...sets: readonly CodePoints[]): CodePoints {
  return codePoints(...sets.flatMap(rangesOf));
}

export function invertCodePoints(set: CodePoints): CodePoints {
  const result: number[] = [];
  let next = 0;
  for (const [first, last] of rangesOf(set)) {
    if (first > next) result.push(next, first - 1);
    next = last + 1;
  }
  if (next <= LAST_CODE_POINT) result.push(next, LAST_CODE_POINT);
  return result;
}

export function subtractCodePoints(set: CodePoints, other: CodePoints): CodePoints {
  return invertCodePoints(uniteCodePoints(invertCodePoints(set), other));
}

export function hasCodePoint(set: CodePoints, codePoint: number): boolean {
  return rangesOf(set).some(([first, last]) => first <= codePoint && codePoint <= last);
}

/** ECMA-262 CharacterClassEscape `d`. */
export const digitCharacters = codePoints([0x30, 0x39]);
/** ECMA-262 CharacterClassEscape `w`, without case folding. */
export const wordCharacters = codePoints([0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]);
/** ECMA-262 LineTerminator: what `.` leaves out. */
export const lineTerminators = codePoints([0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]);
/** ECMA-262 WhiteSpace and LineTerminator: `\s`. */
export const whiteSpaceCharacters = codePoints(
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
);

const properties = new Map<string, CodePoints | null>();
/** The most properties that are cached: each set takes up to 10 KB. */
const MOST_PROPERTIES = 100;

/** The code points of `\p{expression}` without surrogates; null if there is no such property. */
export function propertyCodePoints(expression: string): CodePoints | null {
  const known = properties.get(expression);
  if (known !== undefined) return known;
  const made = computeProperty(expression);
  if (properties.size >= MOST_PROPERTIES) properties.clear();
  properties.set(expression, made);
  return made;
}

/**
 * Finds the code points of a property with the JavaScript engine's own RegExp, which searches texts of 4,096 code points
 * each.
 */
function computeProperty(expression: string): CodePoints | null {
  if (!/^\w+(=\w+)?$/.test(expression)) return null;
  let run: RegExp;
  try {
    run = new RegExp(`\\p{${expression}}+`, "gu");
  } catch {
    return null;
  }
  const ranges: [number, number][] = [];
  for (let first = 0; first <= LAST_CODE_POINT; first += 0x1000) {
    if (first >= 0xd800 && first < 0xe000) continue;
    const last = first === 0xd000 ? 0xd7ff : first + 0xfff;
    if (isUniform(first)) sampleBlock(run, first, last, ranges);
    else searchBlock(run, first, last, ranges);
  }
  return codePoints(...ranges);
}

/**
 * True for a block of 4,096 code points that have the same properties, up to its last two: planes 4 to 13 are unassigned
 * and planes 15 and 16 are private, but the last two code points of every plane are noncharacters.
 */
function isUniform(first: number): boolean {
  return (first >= 0x40000 && first < 0xe0000) || first >= 0xf0000;
}

function sampleBlock(run: RegExp, first: number, last: number, ranges: [number, number][]): void {
  const found: [number, number][] = [];
  searchBlock(run, first, first, found);
  if (found.length > 0) ranges.push([first, last - 2]);
  searchBlock(run, last - 1, last, ranges);
}

function searchBlock(run: RegExp, first: number, last: number, ranges: [number, number][]): void {
  const units = first > 0xffff ? 2 : 1;
  const text = String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index));
  for (const match of text.matchAll(run)) {
    const start = first + match.index / units;
    ranges.push([start, start + match[0].length / units - 1]);
  }
}
