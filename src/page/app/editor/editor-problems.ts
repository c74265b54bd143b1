/**
 * Carries problems between Monaco and the store: the type checker's problems go to the store, the faults of the last run go to
 * Monaco.
 */
import type { UserMod } from "../store/mods-store.ts";
import type { Problem } from "../store/problems-store.ts";
import type { Stores } from "../store/stores.ts";
import { monaco } from "./monaco.ts";

const typeChecker = "typescript";

/** Reports the type checker's errors until the returned function is called. */
export function watchTypeProblems({ problems }: Stores): () => void {
  const listening = monaco.editor.onDidChangeMarkers(() => {
    const errors = monaco.editor
      .getModelMarkers({ owner: typeChecker })
      .filter(({ severity }) => severity === monaco.MarkerSeverity.Error)
      .flatMap((marker): Problem[] => {
        const mod = /^\/mods\/(.+)\.ts$/.exec(marker.resource.path)?.[1];
        if (mod === undefined) return [];
        const { message, startLineNumber: line, startColumn: column } = marker;
        return [{ mod, source: "types", message, line, column }];
      });
    const before = problems.getState().problems.filter(({ source }) => source === "types");
    if (JSON.stringify(before) !== JSON.stringify(errors)) problems.getState().report("types", errors);
  });
  return () => listening.dispose();
}

/** Draws the mods' faults in the last run under their lines. */
export function markRunFaults(
  mods: readonly UserMod[],
  problems: readonly Problem[],
  modelOf: (mod: UserMod) => monaco.editor.ITextModel,
): void {
  for (const mod of mods) {
    const model = modelOf(mod);
    const own = problems.filter(
      (problem) => problem.mod === mod.id && problem.source === "run" && problem.line !== null,
    );
    monaco.editor.setModelMarkers(
      model,
      "midtoken-run",
      own.map(({ message, line, column }) => {
        const at = Math.min(line ?? 1, model.getLineCount());
        return {
          message: `In the last run: ${message}`,
          severity: monaco.MarkerSeverity.Error,
          startLineNumber: at,
          startColumn: column ?? model.getLineFirstNonWhitespaceColumn(at),
          endLineNumber: at,
          endColumn: model.getLineMaxColumn(at),
        };
      }),
    );
  }
}
