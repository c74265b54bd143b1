/** What is wrong, mod by mod; each line leads to its place. */
import { useStore } from "zustand";
import { Icon } from "../../../view/ui/icon.tsx";
import type { Problem } from "../store/problems-store.ts";
import { useStores } from "../store/stores.ts";

export function Problems({ onOpenLine }: { onOpenLine: (mod: string, line: number | null) => void }) {
  const { problems: store, mods } = useStores();
  const { problems } = useStore(store);
  const names = useStore(mods, ({ mods: list }) => list);
  const shown = withoutRepeats(problems).filter(({ mod }) => names.some(({ id }) => id === mod));
  if (shown.length === 0) return null;
  return (
    <ul className="problems" aria-label="Problems">
      {shown.map((problem) => (
        <li key={`${problem.source} ${problem.mod} ${problem.line} ${problem.column} ${problem.message}`}>
          <button type="button" onClick={() => onOpenLine(problem.mod, problem.line)}>
            <Icon name="warning" />
            <span className="problem-place">
              {names.find(({ id }) => id === problem.mod)?.name}
              {problem.line !== null && `:${problem.line}`}
            </span>
            <span className="problem-text">{problem.message}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/**
 * The problems without those of the compiler on lines where the type checker found one too: the type checker's message is
 * the better one.
 */
function withoutRepeats(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    (problem, index) =>
      problems.findIndex(
        (other) =>
          other.mod === problem.mod && other.line === problem.line && other.message === problem.message,
      ) === index &&
      (problem.source !== "compile" ||
        !problems.some(
          (other) => other.source === "types" && other.mod === problem.mod && other.line === problem.line,
        )),
  );
}
