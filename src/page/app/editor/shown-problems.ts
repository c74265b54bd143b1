/** Chooses the problems in the list below the editor. A pasted log of 2,000 lines has 16,000 problems, more than anyone reads. */
import type { Problem } from "../store/problems-store.ts";

/** The list shows at most so many problems. */
export const maxShownProblems = 200;

export interface ShownProblems {
  readonly shown: readonly Problem[];
  /** How many more problems there are. */
  readonly moreCount: number;
}

/**
 * The first problems of these mods, each once. A problem that the compiler and the type checker both find on one line is shown
 * in the type checker's words, which are the better ones. Time: proportional to the number of problems.
 */
export function shownProblems(problems: readonly Problem[], mods: ReadonlySet<string>): ShownProblems {
  const typed = new Set(problems.filter(({ source }) => source === "types").map(lineOf));
  const seen = new Set<string>();
  const found = problems.filter((problem) => {
    if (!mods.has(problem.mod)) return false;
    if (problem.source === "compile" && typed.has(lineOf(problem))) return false;
    const key = `${lineOf(problem)} ${problem.message}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return { shown: found.slice(0, maxShownProblems), moreCount: Math.max(0, found.length - maxShownProblems) };
}

const lineOf = ({ mod, line }: Problem): string => `${mod} ${line}`;
