/**
 * The text typed into a number field. While the text is a number within the limits, it sets the value; otherwise the value is
 * the one from before the typing.
 */
import { useEffect, useRef, useState } from "react";

export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  /** If the step is a whole number, only whole numbers are accepted. */
  readonly step: number;
}

/** The number in a text such as "0.5" or "1e3"; null if the text is no number or outside the limits. */
export function parseNumberEntry(text: string, { min, max, step }: NumberLimits): number | null {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  const isAllowed = value >= min && value <= max && (step % 1 !== 0 || Number.isInteger(value));
  return isAllowed ? value : null;
}

interface NumberEntryOptions extends NumberLimits {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/**
 * The state of a number field. The value follows the typing. If the text is no longer a number within the limits (for example
 * `1e9` after `1`), the value from before the typing comes back.
 */
export function useNumberEntry({ value, onChange, ...limits }: NumberEntryOptions) {
  const [text, setText] = useState(String(value));
  /** The value before the typing. */
  const before = useRef(value);
  /** The value that the typing set last. Only a value from elsewhere replaces the text. */
  const own = useRef<number | null>(null);
  useEffect(() => {
    if (own.current === value) return;
    own.current = null;
    setText(String(value));
  }, [value]);
  const isValid = parseNumberEntry(text, limits) !== null;
  const onText = (typed: string) => {
    setText(typed);
    const next = parseNumberEntry(typed, limits) ?? before.current;
    own.current = next;
    if (next !== value) onChange(next);
  };
  return {
    text,
    isValid,
    onText,
    onFocus: () => {
      before.current = value;
    },
    onBlur: () => setText(String(value)),
  };
}
