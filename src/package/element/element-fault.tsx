/**
 * Shown if a part of the timeline fails. The page around the element is not Midtoken's, so the text only mentions the
 * timeline. `scripts/build-element.ts` replaces `ui/pane-fault.tsx` with this file.
 */
import { ProgramPartError } from "../../core/base/import-part.ts";
import type { PaneFaultProps } from "../../view/ui/pane-fault.tsx";
import "../../view/ui/button.css";
import "../../view/ui/pane-boundary.css";

export function PaneFault({ pane, error, onRetry }: PaneFaultProps) {
  const isMissing = error instanceof ProgramPartError;
  return (
    <div className="pane-fault" role="alert">
      <p>
        <strong>{isMissing ? error.message : `${pane} stopped working.`}</strong>{" "}
        {isMissing ? "Serve the whole folder of the timeline script." : "This is a bug in Midtoken."}
      </p>
      <div className="pane-fault-actions">
        <button type="button" className="button button-normal" onClick={onRetry}>
          Try again
        </button>
      </div>
      {!isMissing && (
        <details>
          <summary>Error details</summary>
          <pre translate="no">{error.stack ?? error.message}</pre>
        </details>
      )}
    </div>
  );
}
