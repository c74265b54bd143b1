/** Shows a message instead of an empty page if the page itself fails. Saved data is not lost. */
import { Component, type ReactNode } from "react";
import "./error-boundary.css";

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <main className="fault">
        <h1>The page stopped working</h1>
        <p>
          This is a bug in Midtoken, not in your mod: please report it. Your mods and settings are saved.
          Reload to continue.
        </p>
        <pre translate="no">{error.stack ?? error.message}</pre>
        <button type="button" className="button button-primary" onClick={() => location.reload()}>
          Reload
        </button>
      </main>
    );
  }
}
