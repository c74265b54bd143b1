/**
 * The printed form of the run. It is fetched soon after the page is drawn, because a browser prints only elements that exist
 * already.
 */
import { type ComponentType, useEffect, useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import type { PrintedRunProps } from "../../../view/timeline/printed-run.tsx";

const afterMs = 1_500;

/** Null until it is fetched. If it cannot be fetched, the pane is printed as it looks on the screen. */
export function usePrintedRun(): ComponentType<PrintedRunProps> | null {
  const [Printed, setPrinted] = useState<ComponentType<PrintedRunProps> | null>(null);
  useEffect(() => {
    const load = () => import("../../../view/timeline/printed-run.tsx");
    const timer = setTimeout(() => {
      importProgramPart("The print view of the run", load, "PrintedRun").then(
        ({ PrintedRun }) => setPrinted(() => PrintedRun),
        () => undefined,
      );
    }, afterMs);
    return () => clearTimeout(timer);
  }, []);
  return Printed;
}
