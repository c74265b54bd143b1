/** A message in the editor's pane while the compiler's file could not be fetched: no mod can run without the compiler. */
import { useCallback, useState } from "react";
import { useStore } from "zustand";
import { ProgramPartError } from "../../../core/base/import-part.ts";
import { MissingPartNotice } from "../../../view/ui/pane-fault.tsx";
import { useStores } from "../store/stores.ts";

export function MissingCompiler() {
  const { problems, engine } = useStores();
  const { missingCompiler, reportCompiler } = useStore(problems);
  const [attempts, setAttempts] = useState(0);
  const retry = useCallback(async () => {
    try {
      await engine.session.compileProblems("");
      reportCompiler(null);
    } catch (cause) {
      // The next run reports any other failure.
      reportCompiler(cause instanceof ProgramPartError ? cause : null);
      setAttempts((count) => count + 1);
    }
  }, [engine, reportCompiler]);
  if (missingCompiler === null) return null;
  // A new message for each attempt, because the reason may have changed.
  return <MissingPartNotice key={attempts} error={missingCompiler} onRetry={retry} />;
}
