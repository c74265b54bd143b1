/** Keeps an error inside its pane: the other panes go on, and this pane says what happened and offers to try again. */
import {
  Component,
  type ComponentType,
  type Context,
  createContext,
  type ReactNode,
  useEffect,
  useState,
} from "react";
import { PartError } from "../base/import-part.ts";
import { Button } from "./button.tsx";
import { type MissingReason, whyMissing } from "./missing-part.ts";
import "./pane-boundary.css";

export interface PaneFaultProps {
  /** In words that begin a sentence: "The editor". */
  readonly pane: string;
  readonly error: Error;
  readonly onRetry: () => void;
}

/** What stands in the place of a pane that failed: the page's own words unless something else holds the panes. */
export const PaneFaultContext: Context<ComponentType<PaneFaultProps>> =
  createContext<ComponentType<PaneFaultProps>>(PaneFault);

interface PaneBoundaryProps {
  /** In words that begin a sentence: "The editor". */
  readonly pane: string;
  /** Called before the pane is drawn again. */
  readonly onRetry?: () => void;
  /** Puts the words about the error where they belong, for example into a dialog where the pane is one. */
  readonly within?: (fault: ReactNode) => ReactNode;
  readonly children: ReactNode;
}

export class PaneBoundary extends Component<PaneBoundaryProps, { error: Error | null }> {
  static override contextType = PaneFaultContext;
  declare context: ComponentType<PaneFaultProps>;
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { pane, onRetry, within = (fault) => fault, children } = this.props;
    const { error } = this.state;
    if (!error) return children;
    const retry = () => {
      onRetry?.();
      this.setState({ error: null });
    };
    const Fault = this.context;
    return within(<Fault pane={pane} error={error} onRetry={retry} />);
  }
}

function PaneFault({ pane, error, onRetry }: PaneFaultProps) {
  return error instanceof PartError ? (
    <MissingPart error={error} onRetry={onRetry} />
  ) : (
    <BrokenPane pane={pane} error={error} onRetry={onRetry} />
  );
}

const kept = "Your mods, your prompt and the last run are kept.";

const reasons: Readonly<Record<MissingReason, string>> = {
  offline: "The server cannot be reached. Once you are online again, it is fetched by itself.",
  updated: `Midtoken was updated since you opened this page: reload it to go on. ${kept}`,
  missing: `The server does not have it now. If it does not come, reload the page. ${kept}`,
};

interface MissingPartProps {
  readonly error: PartError;
  /** Also called when the browser says that it is online again. */
  readonly onRetry: () => void;
}

/** Says that a piece of the page could not be fetched, why, and what to do. */
export function MissingPart({ error, onRetry }: MissingPartProps) {
  const [reason, setReason] = useState<MissingReason | null>(null);
  useEffect(() => {
    let isGone = false;
    void whyMissing().then((found) => !isGone && setReason(found));
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
        <strong>{pane} stopped.</strong> This is a fault of Midtoken, not of your mod. {kept}
      </p>
      <div className="pane-fault-actions">
        <Button onClick={onRetry}>Try again</Button>
        <Button onClick={() => location.reload()}>Reload the page</Button>
      </div>
      <details>
        <summary>What happened</summary>
        <pre>{error.stack ?? error.message}</pre>
      </details>
    </div>
  );
}
