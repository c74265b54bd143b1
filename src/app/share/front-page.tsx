/** What a shared link shows in place of what it holds: that it is being read, or why it cannot be. */
import type { ReactNode } from "react";
import { TraceVersionError } from "../../trace/trace-error.ts";
import { Button } from "../../ui/button.tsx";
import { Logo } from "../../ui/logo.tsx";
import { ThemeButton } from "../bar/theme-button.tsx";
import type { PageStores } from "../store/page-stores.ts";
import "../bar/bar.css";
import "./link-view.css";

export function BrokenLink({ page, error }: { page: PageStores; error: Error }) {
  const isNewer = error instanceof TraceVersionError;
  return (
    <FrontPage page={page}>
      <h2>{isNewer ? "This link is of a newer Midtoken" : "This link cannot be opened"}</h2>
      <p>{error.message}</p>
      <p>Nothing has run, and nothing of yours has changed.</p>
      <p className="fault-actions">
        {isNewer && (
          <Button weight="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
        <a className={isNewer ? "button" : "button button-primary"} href="./#">
          To the playground
        </a>
      </p>
    </FrontPage>
  );
}

interface FrontPageProps {
  readonly page: PageStores;
  readonly isBusy?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** In place of a run that cannot be read, or not yet. */
export function FrontPage({ page, isBusy = false, className = "", children }: FrontPageProps) {
  return (
    <div className="link-view">
      <header className="bar">
        <Logo />
        <div className="bar-end">
          <ThemeButton settings={page.settings} />
        </div>
      </header>
      <main className={`fault ${className}`} aria-busy={isBusy}>
        {children}
      </main>
    </div>
  );
}
