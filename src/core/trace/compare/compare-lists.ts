/**
 * Finds the entries that two lists have in common, in the same order: the shortest script of removals and additions, by E. W.
 * Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), in windows. Pure; counts its work and never looks at a clock.
 */
import type { ResumableWork } from "../../base/resumable-work.ts";

/** A run of equal entries: `length` of them, from place `left` of the left list and place `right` of the right list. */
export interface CommonStretch {
  readonly left: number;
  readonly right: number;
  readonly length: number;
}

export interface ListComparison {
  /** The common runs, in ascending order in both lists. Between two runs, at least one list has an entry that the other lacks. */
  readonly common: readonly CommonStretch[];
  /** False if more entries differed than a window holds; then the lists may have more in common than was found. */
  readonly isShortest: boolean;
}

/**
 * The most removals and additions in one window. Work and memory of a window grow with the square of this number. Lists that have
 * nothing in common cost their length times this number: two lists of 100,000 entries take some 50 million steps.
 */
export const windowEdits = 512;
const workPerStep = 65_536;
/** Marks a diagonal that no path reaches. */
const nowhere = -1;

/**
 * In steps: finds the entries that the lists have in common. Equal beginnings and ends of the lists cost only their length.
 * @param edits the most edits in one window
 */
export function* compareListsInSteps(
  left: Int32Array,
  right: Int32Array,
  edits = windowEdits,
): ResumableWork<ListComparison> {
  let start = 0;
  const shorter = Math.min(left.length, right.length);
  while (start < shorter && left[start] === right[start]) start += 1;
  let same = 0;
  while (same < shorter - start && left[left.length - 1 - same] === right[right.length - 1 - same]) same += 1;
  const end = { left: left.length - same, right: right.length - same };
  const runs: CommonStretch[] = [];
  addRun(runs, { left: 0, right: 0, length: start });
  const at = { left: start, right: start };
  let isShortest = true;
  const rows = new Int32Array(((edits + 1) * (edits + 2)) / 2);
  while (at.left < end.left && at.right < end.right) {
    const found = yield* searchWindow({ left, right, at, end, rows, edits });
    for (const run of found.runs) addRun(runs, run);
    at.left = found.left;
    at.right = found.right;
    if (at.left < end.left || at.right < end.right) isShortest = isShortest && found.isWhole;
  }
  addRun(runs, { left: end.left, right: end.right, length: same });
  return { common: runs, isShortest };
}

/** Adds a run. A run that continues the run before is joined with it. */
function addRun(runs: CommonStretch[], run: CommonStretch): void {
  if (run.length === 0) return;
  const last = runs.at(-1);
  if (last && last.left + last.length === run.left && last.right + last.length === run.right)
    runs[runs.length - 1] = { ...last, length: last.length + run.length };
  else runs.push(run);
}

interface Window {
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** The places at which this window begins. */
  readonly at: { readonly left: number; readonly right: number };
  /** The places at which the equal ends of both lists begin; the lists' lengths if the ends differ. */
  readonly end: { readonly left: number; readonly right: number };
  /** For each number of edits d: how far into the left list each diagonal -d, -d + 2, … d was reached. */
  readonly rows: Int32Array;
  readonly edits: number;
}

interface WindowResult {
  readonly runs: readonly CommonStretch[];
  /**
   * The places at which this window ends: `end`, or the furthest places reached if `end` needs more edits (`isWhole` is then false).
   */
  readonly left: number;
  readonly right: number;
  readonly isWhole: boolean;
}

function* searchWindow({ left, right, at, end, rows, edits }: Window): ResumableWork<WindowResult> {
  const width = end.left - at.left;
  const height = end.right - at.right;
  let work = 0;
  for (let d = 0; d <= edits; d += 1) {
    const row = rowStart(d);
    for (let k = -d; k <= d; k += 2) {
      const begin = reachedBy(rows, d, k, width, height);
      let x = begin;
      if (begin !== nowhere) {
        while (x < width && x - k < height && left[at.left + x] === right[at.right + x - k]) x += 1;
      }
      rows[row + (k + d) / 2] = x;
      work += 1 + x - begin;
      if (x === width && x - k === height)
        return {
          runs: walkBack(rows, d, k, at, width, height),
          left: end.left,
          right: end.right,
          isWhole: true,
        };
    }
    if (work < workPerStep) continue;
    work = 0;
    yield (at.left + at.right) / (left.length + right.length);
  }
  const k = furthest(rows, edits);
  const x = rows[rowStart(edits) + (k + edits) / 2] ?? 0;
  const runs = walkBack(rows, edits, k, at, width, height);
  return { runs, left: at.left + x, right: at.right + x - k, isWhole: false };
}

const rowStart = (d: number) => (d * (d + 1)) / 2;

/** How far into the left list one more edit leads on diagonal k, or `nowhere`. */
function reachedBy(rows: Int32Array, d: number, k: number, width: number, height: number): number {
  if (d === 0) return 0;
  const added = afterAddition(rows, d, k, height);
  const removed = afterRemoval(rows, d, k, width);
  return Math.max(added, removed);
}

/** How far an addition leads (an entry that only the right list has). */
function afterAddition(rows: Int32Array, d: number, k: number, height: number): number {
  if (k + 1 > d - 1) return nowhere;
  const x = rows[rowStart(d - 1) + (k + d) / 2] ?? nowhere;
  return x === nowhere || x - k > height ? nowhere : x;
}

/** How far a removal leads (an entry that only the left list has). */
function afterRemoval(rows: Int32Array, d: number, k: number, width: number): number {
  if (k - 1 < 1 - d) return nowhere;
  const x = rows[rowStart(d - 1) + (k + d) / 2 - 1] ?? nowhere;
  return x === nowhere || x + 1 > width ? nowhere : x + 1;
}

/** The diagonal on which d edits led through the most entries of both lists. */
function furthest(rows: Int32Array, d: number): number {
  let best = -d;
  let most = -1;
  for (let k = -d; k <= d; k += 2) {
    const x = rows[rowStart(d) + (k + d) / 2] ?? nowhere;
    if (x === nowhere || 2 * x - k <= most) continue;
    most = 2 * x - k;
    best = k;
  }
  return best;
}

/** The common runs on the way to the end of diagonal k, in ascending order. */
function walkBack(
  rows: Int32Array,
  edits: number,
  diagonal: number,
  at: Window["at"],
  width: number,
  height: number,
): readonly CommonStretch[] {
  const runs: CommonStretch[] = [];
  let k = diagonal;
  for (let d = edits; d >= 0; d -= 1) {
    const x = rows[rowStart(d) + (k + d) / 2] ?? 0;
    const begin = reachedBy(rows, d, k, width, height);
    runs.push({ left: at.left + begin, right: at.right + begin - k, length: x - begin });
    if (d > 0) k = afterRemoval(rows, d, k, width) === begin ? k - 1 : k + 1;
  }
  return runs.reverse();
}
