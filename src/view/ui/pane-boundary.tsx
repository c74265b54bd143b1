/** Keeps an error inside its pane: the other panes still work, and this pane says what happened and offers to try again. */
import { Component, type ReactNode } from "react";
import { PaneFault } from "./pane-fault.tsx";

interface PaneBoundaryProps {
  /** Name of the pane, as the beginning of a sentence: "The editor". */
  readonly pane: string;
  /** Called before the pane is drawn again. */
  readonly onRetry?: () => void;
  /** Wraps the message about the error, for example in a dialog if the pane is one. */
  readonly within?: (fault: ReactNode) => ReactNode;
  readonly children: ReactNode;
}

export class PaneBoundary extends Component<PaneBoundaryProps, { error: Error | null }> {
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
    return within(<PaneFault pane={pane} error={error} onRetry={retry} />);
  }
}
