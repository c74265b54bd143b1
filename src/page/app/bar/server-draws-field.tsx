/** Whether the server may draw a token with its own random numbers. */
import { useId } from "react";

interface ServerDrawsFieldProps {
  readonly value: boolean;
  readonly onChange: (value: boolean) => void;
}

export function ServerDrawsTokensField({ value, onChange }: ServerDrawsFieldProps) {
  const id = useId();
  return (
    <>
      <label className="check">
        <input
          type="checkbox"
          checked={value}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => onChange(target.checked)}
        />
        Let the server draw tokens that it does not list
      </label>
      <p id={`${id}-note`} className="other-note">
        If off, every token follows from the seed, but drawing an unlisted token takes about a second. On vLLM
        and SGLang, the run ends instead.
      </p>
    </>
  );
}
