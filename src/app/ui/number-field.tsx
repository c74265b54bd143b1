/** A number with limits. What is typed counts when it is a number within them; else the field says so and the old value stays. */
import { useEffect, useId, useState } from "react";
import "./form.css";

interface NumberFieldProps {
  readonly label: string;
  /** Id of the text that explains it. */
  readonly describedBy?: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly onChange: (value: number) => void;
}

export function NumberField({ label, describedBy, value, min, max, step, onChange }: NumberFieldProps) {
  const [text, setText] = useState(String(value));
  const errorId = useId();
  useEffect(() => setText((old) => (Number(old) === value && old !== "" ? old : String(value))), [value]);
  const typed = text.trim() === "" ? Number.NaN : Number(text);
  const valid = typed >= min && typed <= max && (step % 1 !== 0 || Number.isInteger(typed));
  return (
    <>
      <input
        type="number"
        className="field field-number"
        aria-label={label}
        aria-describedby={valid ? describedBy : errorId}
        aria-invalid={!valid}
        min={min}
        max={max}
        step={step}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          const next = target.value.trim() === "" ? Number.NaN : Number(target.value);
          if (next >= min && next <= max && (step % 1 !== 0 || Number.isInteger(next))) onChange(next);
        }}
        onBlur={() => setText(String(value))}
      />
      {!valid && (
        <span id={errorId} className="field-error" role="alert">
          {step % 1 === 0 ? "A whole number" : "A number"} from {min} to {max}.
        </span>
      )}
    </>
  );
}
