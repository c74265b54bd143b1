/**
 * A number field with limits. The typed text counts if it is a number within the limits; otherwise the field shows an error
 * and the old value stays.
 */
import { useId } from "react";
import { useNumberEntry } from "./number-entry.ts";
import "./form.css";

interface NumberFieldProps {
  readonly label: string;
  /** Id of the element that explains the field. */
  readonly describedBy?: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly onChange: (value: number) => void;
}

export function NumberField({ label, describedBy, value, onChange, ...limits }: NumberFieldProps) {
  const { min, max, step } = limits;
  const { text, isValid, onText, onFocus, onBlur } = useNumberEntry({ value, onChange, ...limits });
  const errorId = useId();
  return (
    <>
      <input
        type="number"
        className="field field-number"
        aria-label={label}
        aria-describedby={isValid ? describedBy : errorId}
        aria-invalid={!isValid}
        min={min}
        max={max}
        step={step}
        value={text}
        onChange={({ target }) => onText(target.value)}
        onFocus={onFocus}
        onBlur={onBlur}
      />
      {!isValid && (
        <span id={errorId} className="field-error" role="alert">
          Enter {step % 1 === 0 ? "a whole number" : "a number"} from {min} to {max}; the value is still{" "}
          {value}.
        </span>
      )}
    </>
  );
}
