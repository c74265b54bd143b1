/** Finds the lines of a source again after an edit. */
import { runToEnd } from "../../../core/base/resumable-work.ts";
import { compareListsInSteps } from "../../../core/trace/compare/compare-lists.ts";

/**
 * Most edits that are searched in one window. If two sources have little in common, fewer lines are found, and the search takes
 * no longer.
 */
const windowEdits = 128;

/**
 * For each line of the older source, 1-based, its line in the newer source. Indentation does not matter. Edited lines are
 * matched in order if as many lines replaced them; removed lines have no line.
 */
export function followLines(older: string, newer: string): ReadonlyMap<number, number> {
  const ids = new Map<string, number>();
  const idOf = (line: string): number => {
    const id = ids.get(line) ?? ids.size;
    ids.set(line, id);
    return id;
  };
  const lines = (source: string) =>
    Int32Array.from(source.split(/\r\n|\r|\n/).map((line) => idOf(line.trim())));
  const left = lines(older);
  const right = lines(newer);
  const { common } = runToEnd(compareListsInSteps(left, right, windowEdits));
  const followed = new Map<number, number>();
  let before = { left: 0, right: 0 };
  for (const run of [...common, { left: left.length, right: right.length, length: 0 }]) {
    const isEdited = run.left - before.left === run.right - before.right;
    for (let line = before.left; isEdited && line < run.left; line += 1) {
      followed.set(line + 1, before.right + line - before.left + 1);
    }
    for (let line = 0; line < run.length; line += 1) followed.set(run.left + line + 1, run.right + line + 1);
    before = { left: run.left + run.length, right: run.right + run.length };
  }
  return followed;
}
