/** The page of a shared link before its content is shown. */
import type { ReactNode } from "react";
import { Logo } from "../../../view/ui/logo.tsx";
import { ThemeButton } from "../bar/theme-button.tsx";
import type { PageStores } from "../store/page-stores.ts";
import "../bar/bar.css";
import "./link-view.css";

interface FrontPageProps {
  readonly page: PageStores;
  readonly isBusy?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** The page of a shared link while its run is read, or if the run cannot be read. */
export function UnreadLinkPage({ page, isBusy = false, className = "", children }: FrontPageProps) {
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
