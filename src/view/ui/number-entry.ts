/**
 * The text typed into a field for a number. It sets the value while it is a number within the limits; otherwise the value
 * from before the typing holds.
 */
import { useEffect, useRef, useState } from "react";

export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  /** With a whole number as the step, only whole numbers are taken. */
  readonly step: number;
}

/** The number that a text means, as "0.5" or "1e3"; null if it is none or outside the limits. */
export function readNumber(text: string, { min, max, step }: NumberLimits): number | null {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  const isAllowed = value >= min && value <= max && (step % 1 !== 0 || Number.isInteger(value));
  return isAllowed ? value : null;
}

interface NumberEntryOptions extends NumberLimits {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/**
 * The state of a field for a number. The value follows the typing. Where the text stops being a number within the limits,
 * as `1e9` does after `1`, the value from before the typing comes back.
 */
export function useNumberEntry({ value, onChange, ...limits }: NumberEntryOptions) {
  const [text, setText] = useState(String(value));
  /** The value before the typing. */
  const before = useRef(value);
  /** The value that the typing set last: only a value set by something else replaces the text. */
  const own = useRef<number | null>(null);
  useEffect(() => {
    if (own.current === value) return;
    own.current = null;
    setText(String(value));
  }, [value]);
  const isValid = readNumber(text, limits) !== null;
  const onText = (typed: string) => {
    setText(typed);
    const next = readNumber(typed, limits) ?? before.current;
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
