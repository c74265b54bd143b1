/** A setting with its name above and an explanation below. */
import { type ReactNode, useId } from "react";

interface SettingFieldProps {
  readonly label: string;
  /** A sentence or two. */
  readonly does: string;
  /** Draws the control. `describedBy` is the id of the sentence. */
  readonly children: (describedBy: string) => ReactNode;
}

export function SettingField({ label, does, children }: SettingFieldProps) {
  const id = useId();
  return (
    <div className="setting">
      <span className="setting-label" aria-hidden="true">
        {label}
      </span>
      {children(id)}
      <span id={id} className="setting-does">
        {does}
      </span>
    </div>
  );
}
