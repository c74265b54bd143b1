/** The run on paper, fetched a while after the page is drawn: a browser prints what is there when it is asked to. */
import { type ComponentType, useEffect, useState } from "react";
import { importPart } from "../../../core/base/import-part.ts";
import type { PrintedRunProps } from "../../../view/timeline/printed-run.tsx";

const afterMs = 1_500;

/** Null until it is there. Where it does not come, the pane is printed as it is seen. */
export function usePrintedRun(): ComponentType<PrintedRunProps> | null {
  const [Printed, setPrinted] = useState<ComponentType<PrintedRunProps> | null>(null);
  useEffect(() => {
    const load = () => import("../../../view/timeline/printed-run.tsx");
    const timer = setTimeout(() => {
      importPart("The run on paper", load, "PrintedRun").then(
        ({ PrintedRun }) => setPrinted(() => PrintedRun),
        () => undefined,
      );
    }, afterMs);
    return () => clearTimeout(timer);
  }, []);
  return Printed;
}
