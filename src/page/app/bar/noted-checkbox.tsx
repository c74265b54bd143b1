/** A checkbox with a sentence below it. */
import { useId } from "react";

interface NotedCheckboxProps {
  readonly label: string;
  readonly note: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function NotedCheckbox({ label, note, checked, onChange }: NotedCheckboxProps) {
  const id = useId();
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
      <p id={`${id}-note`} className="other-note">
        {note}
      </p>
    </>
  );
}
