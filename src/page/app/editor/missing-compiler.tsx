/** Said in the editor's pane where the compiler's file did not come, until it does: no mod can be run without it. */
import { useCallback, useState } from "react";
import { useStore } from "zustand";
import { PartError } from "../../../core/base/import-part.ts";
import { MissingPart } from "../../../view/ui/pane-fault.tsx";
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
      // Any other failure is the next run's to tell.
      reportCompiler(cause instanceof PartError ? cause : null);
      setAttempts((count) => count + 1);
    }
  }, [engine, reportCompiler]);
  if (missingCompiler === null) return null;
  // A new one for each attempt: why it did not come may have changed.
  return <MissingPart key={attempts} error={missingCompiler} onRetry={retry} />;
}
