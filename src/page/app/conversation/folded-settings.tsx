/** Settings of one kind, folded to a summary until opened. */
import type { ReactNode } from "react";
import { Icon } from "../../../view/ui/icon.tsx";

interface FoldedSettingsProps {
  /** The class name of these settings in the style sheet. */
  readonly className: string;
  readonly title: string;
  /** The settings in a few words. */
  readonly summary: string;
  readonly children: ReactNode;
}

export function FoldedSettingsSection({ className, title, summary, children }: FoldedSettingsProps) {
  return (
    <details className={className}>
      <summary>
        <Icon name="right" />
        <span className="settings-title">{title}</span>
        <span className="settings-summary">{summary}</span>
      </summary>
      {children}
    </details>
  );
}
