/** The problems of each mod; each line leads to its place. */
import { useMemo } from "react";
import { useStore } from "zustand";
import { formatCount } from "../../../core/base/number-text.ts";
import { Icon } from "../../../view/ui/icon.tsx";
import { useStores } from "../store/stores.ts";
import { shownProblems } from "./shown-problems.ts";

export function Problems({ onOpenLine }: { onOpenLine: (mod: string, line: number | null) => void }) {
  const { problems: store, mods } = useStores();
  const { problems } = useStore(store);
  const list = useStore(mods, ({ mods: all }) => all);
  const names = useMemo(() => new Map(list.map(({ id, name }) => [id, name])), [list]);
  const { shown, moreCount } = useMemo(
    () => shownProblems(problems, new Set(names.keys())),
    [problems, names],
  );
  if (shown.length === 0) return null;
  return (
    <ul className="problems" aria-label="Problems">
      {shown.map((problem) => (
        <li key={`${problem.source} ${problem.mod} ${problem.line} ${problem.column} ${problem.message}`}>
          <button type="button" onClick={() => onOpenLine(problem.mod, problem.line)}>
            <Icon name="warning" />
            <span className="problem-place">
              {names.get(problem.mod)}
              {problem.line !== null && `:${problem.line}`}
            </span>
            <span className="problem-text">{problem.message}</span>
          </button>
        </li>
      ))}
      {moreCount > 0 && (
        <li className="problems-more">{`${formatCount(moreCount)} more problems are not listed.`}</li>
      )}
    </ul>
  );
}
