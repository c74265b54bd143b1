/**
 * In the place of a part of the timeline that failed: the page around it is another's, so nothing is said or done about that. The build puts
 * it in the place of `ui/pane-fault.tsx` (`scripts/build-element.ts`).
 */
import { PartError } from "../base/import-part.ts";
import type { PaneFaultProps } from "../ui/pane-fault.tsx";
import "../ui/button.css";
import "../ui/pane-boundary.css";

export function PaneFault({ pane, error, onRetry }: PaneFaultProps) {
  const isMissing = error instanceof PartError;
  return (
    <div className="pane-fault" role="alert">
      <p>
        <strong>{isMissing ? error.message : `${pane} stopped.`}</strong>{" "}
        {isMissing
          ? "It is a file beside the script that draws this timeline: that folder has to be served whole."
          : "This is a fault of Midtoken, not of the run."}
      </p>
      <div className="pane-fault-actions">
        <button type="button" className="button button-normal" onClick={onRetry}>
          Try again
        </button>
      </div>
      {!isMissing && (
        <details>
          <summary>What happened</summary>
          <pre>{error.stack ?? error.message}</pre>
        </details>
      )}
    </div>
  );
}
