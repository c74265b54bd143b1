/**
 * The message in the place of a part of the page that failed: what happened, and what to do. The embedded timeline has its own
 * messages (`src/package/element/element-fault.tsx`).
 */
import { useEffect, useState } from "react";
import { ProgramPartError } from "../../core/base/import-part.ts";
import { Button } from "./button.tsx";
import { findMissingReason, type MissingReason } from "./missing-part.ts";
import "./pane-boundary.css";

export interface PaneFaultProps {
  /** Name of the pane, as the beginning of a sentence: "The editor". */
  readonly pane: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

export function PaneFault({ pane, error, onRetry }: PaneFaultProps) {
  return error instanceof ProgramPartError ? (
    <MissingPartNotice error={error} onRetry={onRetry} />
  ) : (
    <BrokenPane pane={pane} error={error} onRetry={onRetry} />
  );
}

const kept = "Your mods, your prompt and the last run are saved.";

const reasons: Readonly<Record<MissingReason, string>> = {
  offline: "The server cannot be reached. Go online, then try again.",
  updated: `Midtoken was updated after you opened this page. Reload the page to continue. ${kept}`,
  missing: `The server no longer has this file. If a retry fails, reload the page. ${kept}`,
};

interface MissingPartProps {
  readonly error: ProgramPartError;
  /** Also called when the browser reports that it is online again. */
  readonly onRetry: () => void;
}

/** Says that a part of the page could not be fetched, why, and what to do. */
export function MissingPartNotice({ error, onRetry }: MissingPartProps) {
  const [reason, setReason] = useState<MissingReason | null>(null);
  useEffect(() => {
    let isGone = false;
    void findMissingReason().then((found) => !isGone && setReason(found));
    return () => {
      isGone = true;
    };
  }, []);
  useEffect(() => {
    addEventListener("online", onRetry);
    return () => removeEventListener("online", onRetry);
  }, [onRetry]);
  return (
    <div className="pane-fault" role="alert">
      <p>
        <strong>{error.message}</strong> {reason && reasons[reason]}
      </p>
      <div className="pane-fault-actions">
        {reason !== "updated" && <Button onClick={onRetry}>Try again</Button>}
        {reason !== null && reason !== "offline" && (
          <Button weight={reason === "updated" ? "primary" : "normal"} onClick={() => location.reload()}>
            Reload the page
          </Button>
        )}
      </div>
    </div>
  );
}

function BrokenPane({ pane, error, onRetry }: PaneFaultProps) {
  return (
    <div className="pane-fault" role="alert">
      <p>
        <strong>{pane} stopped working.</strong> This is a bug in Midtoken, not in your mod: please report it.{" "}
        {kept}
      </p>
      <div className="pane-fault-actions">
        <Button onClick={onRetry}>Try again</Button>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
      <details>
        <summary>Error details</summary>
        <pre translate="no">{error.stack ?? error.message}</pre>
      </details>
    </div>
  );
}
