/** A field with its label above it and a hint below. */
import { type ReactNode, useId } from "react";

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly children: (id: string, hint: string | undefined) => ReactNode;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div className="experiment-field">
      <label htmlFor={id}>{label}</label>
      {children(id, hint && `${id}-hint`)}
      {hint && (
        <p id={`${id}-hint`} className="experiment-hint">
          {hint}
        </p>
      )}
    </div>
  );
}
