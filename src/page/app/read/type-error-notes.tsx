/** Below the sentences about the mods of a run: a line for each of them whose source has type errors. Such a mod runs, and may do nothing. */
import { useMemo } from "react";
import { useStore } from "zustand";
import { countWithNoun } from "../../../core/base/number-text.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { Button } from "../../../view/ui/button.tsx";
import { useStores } from "../store/stores.ts";

/** The most UTF-16 units of a message: TypeScript explains some errors in paragraphs. */
const longestMessage = 240;

interface TypeErrorNotesProps {
  readonly onOpenLine: (mod: string, line: number | null) => void;
}

export function TypeErrorNotes({ onOpenLine }: TypeErrorNotesProps) {
  const { run, mods: store, problems: problemsStore } = useStores();
  const problems = useStore(problemsStore, (state) => state.problems);
  const { modIds, trace } = useStore(run);
  const mods = useStore(store, (state) => state.mods);
  const { request } = trace;
  const notes = useMemo(
    () =>
      // An edited mod is left out, because its errors may be newer than the run.
      mods
        .filter(({ id, source }) => modIds.includes(id) && request?.mods.some((ran) => ran.source === source))
        .flatMap((mod) => {
          const errors = problems.filter((problem) => problem.source === "types" && problem.mod === mod.id);
          const [first] = errors;
          return first ? [{ mod, first, count: errors.length }] : [];
        }),
    [mods, modIds, request, problems],
  );
  return notes.map(({ mod, first, count }) => (
    <p key={mod.id}>
      <span translate="no">{mod.name}</span> has {countWithNoun(count, "type error")}, so it may not do what
      you expect: <span translate="no">{showInvisibleCharacters(first.message, longestMessage)}</span>{" "}
      <Button onClick={() => onOpenLine(mod.id, first.line)}>
        {first.line === null ? "Show the mod" : `Show line ${first.line}`}
      </Button>
    </p>
  ));
}
